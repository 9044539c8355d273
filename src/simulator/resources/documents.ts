import { pageSize, paginationOf, readPage, startPosition } from '../paginate.ts'
import type { Readings } from '../readings.ts'
import { invalidParameter } from '../server/api-error.ts'
import { renderDocument } from '../server/render.ts'
import { settleIngestion } from '../tenant.ts'
import { parseTimestamp } from '../timestamps.ts'
import type { DocumentTruth } from '../truth.ts'
import { cursorScope, cursorSent, type Endpoint, feedParameters } from './endpoint.ts'
import type { SimulatedResource } from './resource.ts'

function updatedSince(after: number, nulls: Readings['updatedAfterNulls']) {
  return ({ updatedAt, createdAt }: DocumentTruth) => {
    if (updatedAt !== null) return updatedAt >= after
    return nulls === 'createdAt' && createdAt >= after
  }
}

/**
 * "List documents": metadata only, at most 200 a page, a replayable cursor at the end of the feed. Throws 400
 * `VALIDATION_FAILED` for an invalid cursor, for `cursor` beside `updatedAfter`, and for a timestamp that is none.
 */
const listDocuments: Endpoint = {
  method: 'GET',
  template: '/api/public/documents',
  permission: 'Api_Documents_Read',
  parameters: feedParameters,
  handle(call) {
    const { world, tenant, query, style } = call
    const { readings, cursors } = world
    settleIngestion(tenant, world.clock())
    const scope = cursorScope(call, 'documents')
    const cursor = cursorSent(call)
    const sent = query.get('updatedAfter')
    if (cursor !== null && sent !== null) throw invalidParameter('cursor and updatedAfter must not be sent together')
    const content = cursor === null ? null : cursors.decode(scope, cursor)
    if (cursor !== null && content === null) throw invalidParameter('cursor is not valid')
    const after = sent === null ? (content?.updatedAfter ?? null) : parseTimestamp(sent)
    if (sent !== null && after === null) throw invalidParameter('updatedAfter is not an ISO 8601 timestamp')

    const limit = pageSize(readings, 'documents', query)
    const matches = after === null ? null : updatedSince(after, readings.updatedAfterNulls)
    const from = readings.documentOrder === 'updatedAt' ? after : null
    const start = content?.position ?? startPosition(readings.cursorKind.documents, from)
    const page = readPage(tenant.documents, start, limit, matches)
    return {
      status: 200,
      data: page.records.map((document) => renderDocument(document, style)),
      pagination: paginationOf(readings, 'documents', page, limit, (next) => cursors.encode(scope, next), after),
    }
  },
}

export const documents = {
  name: 'documents',
  endpoints: [listDocuments],
  records: (state) => state.documents(),
  operations: (control) => ({
    add: (fields) => control.addDocument(fields),
    update: (id, fields) => control.updateDocument(id, fields),
    remove: (id) => control.removeDocument(id),
  }),
} as const satisfies SimulatedResource
