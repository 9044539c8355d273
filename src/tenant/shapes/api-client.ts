import type { Reading } from '../reader.ts'
import type { ApiClient } from '../records.ts'
import { describedDate, describedText } from './descriptive-fields.ts'
import { extraFields, finish, newDraft, notAnObject } from './draft.ts'
import { isTextId, textId } from './identifiers.ts'
import { isObject } from './is-object.ts'
import { judgedDate, judgedTextOrNull } from './judged-fields.ts'

const known = new Set(['clientId', 'name', 'roleName', 'secretExpirationDate', 'createdAt'])

/** Reads one registered API client (specification: Resources, API client). */
export function readApiClient(raw: unknown): Reading<ApiClient> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newDraft()
  const record: ApiClient = {
    clientId: textId(draft, 'clientId', raw['clientId']),
    name: describedText(draft, 'name', raw['name']),
    roleName: judgedTextOrNull(draft, 'roleName', raw['roleName']),
    secretExpirationDate: judgedDate(draft, 'secretExpirationDate', raw['secretExpirationDate']),
    createdAt: describedDate(draft, 'createdAt', raw['createdAt']),
  }
  return finish(draft, record, extraFields(draft, raw, known), isTextId(raw['clientId']) ? raw['clientId'] : null, raw)
}
