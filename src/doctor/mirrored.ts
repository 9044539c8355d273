import {
  endsInOne,
  type LeastPrivilegeOptions,
  apiClientLeastPrivilege as leastPrivilege,
} from '../checks/api-client-least-privilege.ts'
import { assumedRule, type EnrolmentRule, enrolmentRules, isEnrolled } from '../checks/support/enrolment.ts'
import { textOf } from '../checks/support/records.ts'
import { userMfaEnrolled } from '../checks/user-mfa-enrolled.ts'
import { settingsOf } from '../evaluate/check.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { guidKey } from '../model/guid.ts'
import { mapTenants } from '../model/in-turns.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { Reading } from '../model/reading.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { printableJson } from '../model/text/printable.ts'
import { withoutEmails } from '../model/text/redact.ts'
import { firstOf } from '../model/text/words.ts'
import { resources } from '../resources/index.ts'
import type { Mirror } from '../store/port.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'
import type { ExaminedTenant } from './identity.ts'

const maxNamed = 4
const rules = Object.keys(enrolmentRules) as readonly EnrolmentRule[]

/**
 * The mirror's users by their multi-factor flags, as `checks.user-mfa-enrolled.enrolledWhen` reads them. If nobody is
 * enrolled, usually the rule is wrong.
 */
export async function diagnoseEnrolment({ mirror, row, tenant }: ExaminedTenant): Promise<Diagnosis> {
  const { enrolledWhen: written } = userMfaEnrolled.options.parse(settingsOf(userMfaEnrolled, tenant).options)
  const enrolledWhen = rules.find((rule) => rule === written) ?? assumedRule
  const groups = await readGroups(mirror, row.id)
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return fine('enrolledWhen', 'no users are mirrored yet')
  const by = (rule: EnrolmentRule) =>
    groups.reduce((sum, one) => sum + (isEnrolled(rule, one.mfaStatus, one.mfaAction) ? one.count : 0), 0)
  const enrolled = by(enrolledWhen)
  const reading = `"${enrolledWhen}"${written === null ? ' (assumed)' : ''}`
  const counts = groups.map(
    ({ state, mfaStatus, mfaAction, count }) => `${count} ${state} with mfaStatus ${mfaStatus}, mfaAction ${mfaAction}`,
  )
  if (enrolled > 0)
    return fine('enrolledWhen', `by ${reading} ${enrolled} of ${all} users are enrolled: ${counts.join('; ')}`)
  const others = rules
    .filter((rule) => by(rule) > 0)
    .slice(0, maxNamed)
    .map((rule) => `; by "${rule}" ${by(rule)}`)
  return warning(
    'enrolledWhen',
    `by ${reading} none of ${all} users is enrolled${others.join('')}: ${counts.join('; ')}`,
    'Compare users you know with "tenantwatch export users" and set checks.user-mfa-enrolled.enrolledWhen',
  )
}

/** The mirror may be another tenant's. */
export const enrolmentUnchecked: Diagnosis = warning(
  'enrolledWhen',
  "not checked: the users in the mirror may be another tenant's",
  'Run the doctor again after the identity of the tenant is confirmed',
)

async function readGroups(mirror: Mirror, tenantId: number) {
  const { fields = [], groups = [] } = (await mirror.recordCounts(tenantId)).get('users') ?? {}
  return groups.map(({ values, count }) => {
    const valueIn = (field: string) => values[fields.indexOf(field)]
    const isTrue = (field: string) => valueIn(field) === true
    return {
      state: withoutEmails(String(valueIn('state'))),
      mfaStatus: isTrue('mfaStatus'),
      mfaAction: isTrue('mfaAction'),
      count,
    }
  })
}

/**
 * Records that lists no longer return and nothing has removed, and how the API answers for the first one, where it can be
 * asked by id.
 */
export async function diagnoseMissing(
  { mirror, row, client, signal }: ExaminedTenant,
  isProven: boolean,
): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const definition of resources as readonly ResourceDefinition[]) {
    const { name, nouns } = definition
    const missing = await mirror.missing({ tenantId: row.id, resource: name, limit: 1000, onlyAccepted: false })
    const [first] = missing
    if (first === undefined) continue
    const keys = missing.map(({ key }) => key)
    const text = `${firstOf(keys, 5)} absent from the last full sync, the removal not confirmed`
    if (!isProven || definition.kind !== 'feed' || definition.lookUp === undefined) {
      found.push(warning(name, text, 'The next full syncs ask again'))
      continue
    }
    const answer = await client.reader.fetchOne(definition, Number(first.key), signal).then(
      ({ item }) => (item === null ? 'is gone (404 or 410)' : `still exists${stateOf(item)}`),
      (error: unknown) => `is not answered for: ${error instanceof SyncError ? error.message : reasonOf(error)}`,
    )
    found.push(
      warning(
        name,
        `${text}; asked by id, ${nouns[0]} ${first.key} ${answer}`,
        'Only a 404 or 410 with the envelope of the API confirms a removal; the next full syncs ask again',
      ),
    )
  }
  return found
}

function stateOf(item: Reading): string {
  const state = item.ok ? item.record['state'] : null
  return typeof state === 'string' ? `, in state ${printableJson(withoutEmails(state))}` : ''
}

const optionsOf = (written: object) => leastPrivilege.options.parse(written) as LeastPrivilegeOptions

/**
 * Keys of the live API clients of all tenants, because an allow-list may be for several of them; null unless the list of
 * each was once read completely.
 */
export async function knownClients(
  mirror: Mirror,
  postures: readonly TenantPosture[],
): Promise<ReadonlySet<string> | null> {
  const lists = postures.flatMap(({ resources }) => resources.filter(({ resource }) => resource === 'api-clients'))
  if (lists.some(({ dataAsOf }) => dataAsOf === null)) return null
  const keys = await mapTenants(await mirror.tenants(), ({ id }) => mirror.records(id).keys('api-clients'))
  return new Set(keys.flat())
}

/**
 * Options of the check that, as by a typo, have no effect, so that it may pass for what they should forbid.
 *
 * @param clients of all tenants; null = not known.
 */
export async function diagnoseLeastPrivilege(
  { mirror, row, tenant }: ExaminedTenant,
  clients: ReadonlySet<string> | null,
): Promise<readonly Diagnosis[]> {
  const { enabled, options } = settingsOf(leastPrivilege, tenant)
  if (!enabled) return []
  const { allowed, forbiddenSuffixes } = optionsOf(options)
  const unknown = Object.keys(allowed).filter((id) => clients?.has(guidKey(id)) === false)
  const found = unknown.map((id) => {
    const sentence = `allowed names ${id}, which is no API client of any tenant`
    return warning(leastPrivilege.id, sentence, 'Correct the clientId, or remove the entry')
  })
  // A tenant may not have a code that is forbidden by default.
  if (forbiddenSuffixes.join() === optionsOf({}).forbiddenSuffixes.join()) return found
  const permissions = (await Array.fromAsync(mirror.records(row.id).select('permissions'))).flat()
  const codes = permissions.map((one) => textOf(one, 'code') ?? '')
  // A token may not read the list.
  const unused = codes.length === 0 ? [] : forbiddenSuffixes.filter((suffix) => !codes.some(endsInOne([suffix])))
  for (const suffix of unused)
    found.push(
      warning(leastPrivilege.id, `forbiddenSuffixes has ${suffix}, in which no code of the tenant ends`, 'Correct it'),
    )
  return found
}
