import type { Reading } from '../reader.ts'
import type { ApiClient } from '../records.ts'
import { describedText } from './descriptive-fields.ts'
import { extraFields, finish, newParseContext, notAnObject } from './draft.ts'
import { guidId } from './identifiers.ts'
import { isObject } from './is-object.ts'
import { strictDate, strictDateIfAny, strictTextOrNull } from './strict-fields.ts'

const known = new Set(['clientId', 'name', 'roleName', 'secretExpirationDate', 'createdAt'])
const texts = { clientId: true, name: true, roleName: true } as const

/**
 * Reads one registered API client (docs/api.md#api-client).
 *
 * @param latest the last plausible instant of its creation, in milliseconds since the epoch.
 */
export function readApiClient(raw: unknown, latest?: number): Reading<ApiClient> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newParseContext()
  const record: ApiClient = {
    clientId: guidId(draft, 'clientId', raw['clientId']),
    name: describedText(draft, 'name', raw['name']),
    roleName: strictTextOrNull(draft, 'roleName', raw['roleName']),
    secretExpirationDate: strictDate(draft, 'secretExpirationDate', raw['secretExpirationDate']),
    createdAt: strictDateIfAny(draft, 'createdAt', raw['createdAt'], latest),
  }
  return finish(draft, record, extraFields(draft, raw, known), record.clientId || null, raw, texts)
}
