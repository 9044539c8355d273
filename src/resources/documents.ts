import type { FeedResource } from '../sync/resource.ts'
import { fetchedPage } from './reading-items.ts'

/** Specification: List documents. Metadata only; `updatedAfter` recovers a lost cursor. */
export const documents = {
  name: 'documents',
  nouns: ['document', 'documents'],
  kind: 'feed',
  permission: 'Api_Documents_Read',
  endpoints: ['/api/public/documents'],
  schedule: { incremental: '*/5 * * * *', full: '43 */6 * * *' },
  idField: 'fileId',
  identifiedBy: 'guid',
  lostCursor: { by: 'updatedAfter', overlap: ['documents', 'overlapMs'] },
  removal: 'two-full-syncs',
  fetch: async (reader, query, signal, unless) => fetchedPage(await reader.listDocuments(query, signal, unless)),
  unknownValues(record, { documents: { knownStatuses } }) {
    const status = 'uploadStatus' in record ? record.uploadStatus : null
    return typeof status === 'string' && !knownStatuses.includes(status) ? ['uploadStatus'] : []
  },
} as const satisfies FeedResource
