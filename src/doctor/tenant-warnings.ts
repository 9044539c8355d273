import { checks } from '../checks/index.ts'
import { statuses } from '../checks/support/statuses.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import { settingsOf } from '../evaluate/check-settings.ts'
import { dayMs, describeDuration, hourMs } from '../model/durations.ts'
import { isLoopback } from '../model/process/loopback.ts'
import { resourceNames } from '../model/resource-names.ts'
import { type Diagnosis, warning } from './diagnosis.ts'

type General = Pick<Settings, 'timezone'>
type Rule = (tenant: TenantSettings, general: General) => readonly Diagnosis[]

const rareMs = 3 * hourMs
const statusChecks = ['document-processing-finished', 'document-required-present'] as const

/** What is valid in a tenant's configuration and yet may not be what its author meant. */
export function tenantWarnings(tenant: TenantSettings, general: General): readonly Diagnosis[] {
  return rules.flatMap((rule) => rule(tenant, general))
}

const rules: readonly Rule[] = [
  function ownClient({ ownClientId }) {
    if (ownClientId !== null) return []
    const advice = 'Set it: then the end of its own secret is told apart, and a list without it is not believed'
    return [warning('ownClientId', 'is not set', advice)]
  },
  function plainHttp({ baseUrl }) {
    const { protocol, hostname } = new URL(baseUrl)
    if (protocol !== 'http:' || isLoopback(hostname)) return []
    return [warning('baseUrl', 'is http: the token travels unencrypted', 'Use https')]
  },
  function noRate({ api }) {
    if (api.requestsPerSecond !== 0) return []
    return [warning('requestsPerSecond', 'is 0: nothing limits the requests', 'Set api.requestsPerSecond (10)')]
  },
  function rareUsers({ resources: { users } }) {
    if (!users.enabled || users.full.intervalMs <= rareMs) return []
    const sentence = `"${users.full.expression}" leaves ${describeDuration(users.full.intervalMs)} between two full syncs`
    const advice = 'Only a full sync sees users that were changed or removed: let it run every 3 h or more often'
    return [warning('schedule.users.full', sentence, advice)]
  },
  function tightFreshness({ resources }) {
    return resourceNames.flatMap((name) => {
      const { enabled, freshnessMs, full } = resources[name]
      if (!enabled || freshnessMs === null || freshnessMs >= 2 * full.intervalMs) return []
      const sentence = `${describeDuration(freshnessMs)} for ${name}, synced in full every ${describeDuration(full.intervalMs)}`
      return [
        warning('freshness', sentence, 'One full sync that fails makes its checks unknown; allow twice the interval'),
      ]
    })
  },
  function disabledChecks({ checks: configured }) {
    const off = Object.entries(configured).flatMap(([id, { enabled }]) => (enabled ? [] : [id]))
    if (off.length === 0) return []
    return [warning('checks', `${off.length} switched off: ${off.join(', ')}`, 'Nothing of them is evaluated or told')]
  },
  function strangeStatuses({ checks: configured, documents: { knownStatuses } }) {
    return statusChecks.flatMap((id) => {
      const { enabled = false, options } = configured[id] ?? {}
      const { success, data = [] } = statuses().safeParse(options?.['statuses'])
      const strange = enabled && success ? data.filter((status) => !knownStatuses.includes(status)) : []
      if (strange.length === 0) return []
      const sentence = `statuses has ${strange.map(String).join(', ')}, which documents.knownStatuses has not`
      return [warning(id, sentence, 'Add it there, else document-status-known fails for it')]
    })
  },
  function assumptions(tenant) {
    return checks.flatMap((check: Check) => {
      const { enabled, options } = settingsOf(check, tenant)
      const sentence = enabled ? (check.assumption?.(options) ?? null) : null
      if (sentence === null) return []
      return [warning(check.id, sentence, 'Compare users you know with "tenantwatch export users"')]
    })
  },
  function changingClocks({ resources }, { timezone }) {
    const daily = resourceNames.filter((name) => resources[name].enabled && resources[name].full.intervalMs >= dayMs)
    if (daily.length === 0 || !changesClocks(timezone)) return []
    const sentence = `clocks in ${timezone} are changed twice a year: a daily full sync (${daily.join(', ')}) may be skipped`
    return [warning('timezone', sentence, 'Use UTC, or hours that the change does not touch')]
  },
]

/** True where January and July have different offsets from UTC. */
function changesClocks(timeZone: string): boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offset = (month: number) =>
    format.formatToParts(Date.UTC(2026, month, 15)).find(({ type }) => type === 'timeZoneName')?.value
  return offset(0) !== offset(6)
}
