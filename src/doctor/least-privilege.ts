import { apiClientLeastPrivilege as check, type LeastPrivilegeOptions } from '../checks/api-client-least-privilege.ts'
import { textOf } from '../checks/support/records.ts'
import type { TenantSettings } from '../config/settings.ts'
import { settingsOf } from '../evaluate/check-settings.ts'
import { guidKey } from '../model/guid.ts'
import type { Mirror } from '../store/port.ts'
import { type Diagnosis, warning } from './diagnosis.ts'

/** Options of the check that, as by a typo, have no effect, so that it may pass for what they should forbid. */
export async function diagnoseLeastPrivilege(mirror: Mirror, tenantId: number, tenant: TenantSettings) {
  const found: Diagnosis[] = []
  const { enabled, options } = settingsOf(check, tenant)
  const { allowed, forbiddenSuffixes } = check.options.parse(options) as LeastPrivilegeOptions
  if (!enabled) return found
  const isListed = async (id: string) => {
    const rows = (await mirror.tenants()).map((row) => mirror.record(row.id, 'api-clients', guidKey(id)))
    return (await Promise.all(rows)).some((row) => row !== null)
  }
  for (const id of Object.keys(allowed)) {
    if (await isListed(id)) continue
    const sentence = `allowed names ${id}, which is no API client of any tenant`
    found.push(warning(check.id, sentence, 'Correct the clientId, or remove the entry'))
  }
  const permissions = (await Array.fromAsync(mirror.records(tenantId).select('permissions'))).flat()
  const codes = permissions.map((one) => textOf(one, 'code')?.trim().toLowerCase() ?? '')
  // A token may not read the list, and a tenant may not have a code that is forbidden by default.
  const isDefault = forbiddenSuffixes.join() === '_Create'
  for (const suffix of isDefault || codes.length === 0 ? [] : forbiddenSuffixes)
    if (!codes.some((code) => code.endsWith(suffix.toLowerCase())))
      found.push(
        warning(check.id, `forbiddenSuffixes has ${suffix}, in which no code of the tenant ends`, 'Correct it'),
      )
  return found
}
