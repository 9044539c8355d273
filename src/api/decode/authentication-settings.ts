import type { Reading } from '../reader.ts'
import type { AuthenticationSettings } from '../records.ts'
import { extraFields, fail, finish, newParseContext, notAnObject, odd } from './draft.ts'
import { isObject } from './is-object.ts'
import { strictBoolean, strictTextOrNull } from './strict-fields.ts'

const known = new Set(['ssoEnabled', 'ssoEnforced', 'providerType', 'tenantName', 'mfaEnabled'])
const texts = { providerType: true, tenantName: true } as const

/**
 * Reads the sign-in policy (docs/api.md#authentication-settings); it has no identifier of its own. Provider
 * and tenant name are null where no SSO is configured; then they may be absent as well.
 */
export function readAuthenticationSettings(raw: unknown): Reading<AuthenticationSettings> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newParseContext()
  const record: AuthenticationSettings = {
    ssoEnabled: strictBoolean(draft, 'ssoEnabled', raw['ssoEnabled']),
    ssoEnforced: strictBoolean(draft, 'ssoEnforced', raw['ssoEnforced']),
    providerType: strictTextOrNull(draft, 'providerType', raw['providerType']),
    tenantName: strictTextOrNull(draft, 'tenantName', raw['tenantName']),
    mfaEnabled: strictBoolean(draft, 'mfaEnabled', raw['mfaEnabled']),
  }
  for (const field of ['providerType', 'tenantName'] as const) {
    if (raw[field] !== undefined) continue
    if (record.ssoEnabled) fail(draft, `${field} is missing`)
    else odd(draft, 'unknown_value', field)
  }
  return finish(draft, record, extraFields(draft, raw, known), null, raw, texts)
}
