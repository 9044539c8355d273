import type { Reading } from '../reader.ts'
import type { AuthenticationSettings } from '../records.ts'
import { describedTextOrNull } from './descriptive-fields.ts'
import { extraFields, finish, newDraft, notAnObject } from './draft.ts'
import { isObject } from './is-object.ts'
import { judgedBoolean } from './judged-fields.ts'

const known = new Set(['ssoEnabled', 'ssoEnforced', 'providerType', 'tenantName', 'mfaEnabled'])

/** Reads the sign-in policy (specification: Resources, Authentication settings); it has no identifier of its own. */
export function readAuthenticationSettings(raw: unknown): Reading<AuthenticationSettings> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newDraft()
  const record: AuthenticationSettings = {
    ssoEnabled: judgedBoolean(draft, 'ssoEnabled', raw['ssoEnabled']),
    ssoEnforced: judgedBoolean(draft, 'ssoEnforced', raw['ssoEnforced']),
    providerType: describedTextOrNull(draft, 'providerType', raw['providerType']),
    tenantName: describedTextOrNull(draft, 'tenantName', raw['tenantName']),
    mfaEnabled: judgedBoolean(draft, 'mfaEnabled', raw['mfaEnabled']),
  }
  return finish(draft, record, extraFields(draft, raw, known), null, raw)
}
