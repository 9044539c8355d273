import type { Reading } from '../reader.ts'
import type { Document } from '../records.ts'
import { extraFields, finish, newParseContext, notAnObject, odd } from './draft.ts'
import { guidId } from './identifiers.ts'
import { isObject } from './is-object.ts'
import { strictDate, strictDateOrNull, strictText, strictTextOrNull } from './strict-fields.ts'

const known = new Set(['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt'])
const texts = { fileId: true, filename: true, uploadStatus: true } as const

/**
 * Reads the metadata of one document (docs/api.md#document). Null is a value of `uploadStatus` and of
 * `updatedAt`; an absent one is read as null and counted. Which other statuses are known is configuration.
 *
 * @param latest the last plausible instant of upload and change, in milliseconds since the epoch.
 */
export function readDocument(raw: unknown, latest?: number): Reading<Document> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newParseContext()
  const record: Document = {
    fileId: guidId(draft, 'fileId', raw['fileId']),
    filename: strictText(draft, 'filename', raw['filename']),
    uploadStatus: strictTextOrNull(draft, 'uploadStatus', raw['uploadStatus']),
    createdAt: strictDate(draft, 'createdAt', raw['createdAt'], latest),
    updatedAt: strictDateOrNull(draft, 'updatedAt', raw['updatedAt'], latest),
  }
  if (raw['uploadStatus'] === undefined) odd(draft, 'unknown_value', 'uploadStatus')
  if (raw['updatedAt'] === undefined) odd(draft, 'unknown_value', 'updatedAt')
  return finish(draft, record, extraFields(draft, raw, known), record.fileId || null, raw, texts)
}
