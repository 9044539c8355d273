import {
  apiClientLeastPrivilege as check,
  endsInOne,
  type LeastPrivilegeOptions,
} from '../checks/api-client-least-privilege.ts'
import { textOf } from '../checks/support/records.ts'
import { settingsOf } from '../evaluate/check.ts'
import { guidKey } from '../model/guid.ts'
import { mapTenants } from '../model/in-turns.ts'
import type { Mirror } from '../store/port.ts'
import { type Diagnosis, warning } from './diagnosis.ts'
import type { ExaminedTenant } from './identity.ts'

const optionsOf = (written: object) => check.options.parse(written) as LeastPrivilegeOptions

/** Keys of the live API clients of all tenants, because an allow-list may be for several of them. */
export async function knownClients(mirror: Mirror): Promise<ReadonlySet<string>> {
  const keys = await mapTenants(await mirror.tenants(), ({ id }) => mirror.records(id).keys('api-clients'))
  return new Set(keys.flat())
}

/**
 * Options of the check that, as by a typo, have no effect, so that it may pass for what they should forbid.
 *
 * @param clients of all tenants.
 */
export async function diagnoseLeastPrivilege(
  { mirror, row, tenant }: ExaminedTenant,
  clients: ReadonlySet<string>,
): Promise<readonly Diagnosis[]> {
  const { enabled, options } = settingsOf(check, tenant)
  if (!enabled) return []
  const { allowed, forbiddenSuffixes } = optionsOf(options)
  const unknown = Object.keys(allowed).filter((id) => !clients.has(guidKey(id)))
  const found = unknown.map((id) => {
    const sentence = `allowed names ${id}, which is no API client of any tenant`
    return warning(check.id, sentence, 'Correct the clientId, or remove the entry')
  })
  // A tenant may not have a code that is forbidden by default.
  if (forbiddenSuffixes.join() === optionsOf({}).forbiddenSuffixes.join()) return found
  const permissions = (await Array.fromAsync(mirror.records(row.id).select('permissions'))).flat()
  const codes = permissions.map((one) => textOf(one, 'code') ?? '')
  // A token may not read the list.
  const unused = codes.length === 0 ? [] : forbiddenSuffixes.filter((suffix) => !codes.some(endsInOne([suffix])))
  for (const suffix of unused)
    found.push(warning(check.id, `forbiddenSuffixes has ${suffix}, in which no code of the tenant ends`, 'Correct it'))
  return found
}
