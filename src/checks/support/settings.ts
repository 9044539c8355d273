import type { Loaded } from '../../evaluate/check.ts'
import type { MirrorRecord, RecordReader } from '../../store/records/query.ts'
import { onlyRecord } from './records.ts'

export const settingsEntityId = 'authentication-settings'

/**
 * True for the answer of a tenant without SSO: `mfaEnabled` is false in each of them, so that it may be a placeholder
 * and not the policy (docs/api.md#authentication-settings).
 */
export function isWithoutSso({ fields }: MirrorRecord): boolean {
  const { ssoEnabled, ssoEnforced, providerType, tenantName, mfaEnabled } = fields
  const isOff = [ssoEnabled, ssoEnforced, mfaEnabled].every((flag) => flag === false)
  return isOff && (providerType ?? null) === null && (tenantName ?? null) === null
}

export async function loadSettings(
  reader: RecordReader,
): Promise<Loaded<MirrorRecord> & { readonly candidates: readonly (readonly MirrorRecord[])[] }> {
  const settings = await onlyRecord(reader, 'authentication-settings')
  return settings === null
    ? { population: 0, candidates: [], notEvaluated: 1 }
    : { population: 1, candidates: [[settings]] }
}
