import type { Reading } from '../reader.ts'
import type { Document } from '../records.ts'
import { describedText } from './descriptive-fields.ts'
import { extraFields, finish, newDraft, notAnObject, odd } from './draft.ts'
import { isTextId, textId } from './identifiers.ts'
import { isObject } from './is-object.ts'
import { judgedDate, judgedDateOrNull, judgedTextOrNull } from './judged-fields.ts'

const known = new Set(['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt'])

/**
 * Reads the metadata of one document (specification: Resources, Document). Null is a value of `uploadStatus` and of
 * `updatedAt`; an absent one is read as null and counted. Which other statuses are known is configuration.
 */
export function readDocument(raw: unknown): Reading<Document> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newDraft()
  const record: Document = {
    fileId: textId(draft, 'fileId', raw['fileId']),
    filename: describedText(draft, 'filename', raw['filename']),
    uploadStatus: judgedTextOrNull(draft, 'uploadStatus', raw['uploadStatus']),
    createdAt: judgedDate(draft, 'createdAt', raw['createdAt']),
    updatedAt: judgedDateOrNull(draft, 'updatedAt', raw['updatedAt']),
  }
  if (raw['uploadStatus'] === undefined) odd(draft, 'unknown_value', 'uploadStatus')
  if (raw['updatedAt'] === undefined) odd(draft, 'unknown_value', 'updatedAt')
  return finish(draft, record, extraFields(draft, raw, known), isTextId(raw['fileId']) ? raw['fileId'] : null, raw)
}
