import { apiClientLeastPrivilege as check } from '../checks/api-client-least-privilege.ts'
import { quoted } from '../checks/support/words.ts'
import type { TenantSettings } from '../config/settings.ts'
import { settingsOf } from '../evaluate/check-settings.ts'
import type { RecordReader } from '../mirror/records/query.ts'
import { type Diagnosis, warning } from './diagnosis.ts'

/** Warns of keys of `allowed` that the check ignores, such as the name of a client. */
export async function diagnoseAllowed(records: RecordReader, tenant: TenantSettings): Promise<readonly Diagnosis[]> {
  const { enabled, options } = settingsOf(check, tenant)
  const unknown = new Map(Object.keys(Object(options['allowed'])).map((id) => [id.toLowerCase(), id]))
  if (!enabled || unknown.size === 0 || (await records.count('api-clients')) === 0) return []
  for await (const clients of records.select('api-clients')) {
    for (const { key } of clients) unknown.delete(key.toLowerCase())
  }
  const advice = 'Write the clientId of a client, as "tenantwatch export api-clients" lists it'
  return [...unknown.values()].map((id) =>
    warning(check.id, `allowed names ${quoted(id)}, which is the id of no mirrored API client`, advice),
  )
}
