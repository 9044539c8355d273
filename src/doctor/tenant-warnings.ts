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

/** Warnings about valid settings of a tenant that may not be intended. */
export function tenantWarnings(tenant: TenantSettings, general: General): readonly Diagnosis[] {
  return rules.flatMap((rule) => rule(tenant, general))
}

const rules: readonly Rule[] = [
  function ownClient({ ownClientId }) {
    if (ownClientId !== null) return []
    const advice =
      'Set it: then the expiry of its secret has an alert of its own, and a client list without it is rejected'
    return [warning('ownClientId', 'is not set', advice)]
  },
  function plainHttp({ baseUrl }) {
    const { protocol, hostname } = new URL(baseUrl)
    if (protocol !== 'http:' || isLoopback(hostname)) return []
    return [warning('baseUrl', 'is http: the token travels unencrypted', 'Use https')]
  },
  function noRate({ api }) {
    if (api.requestsPerSecond !== 0) return []
    return [warning('requestsPerSecond', 'is 0: the request rate is unlimited', 'Set api.requestsPerSecond (10)')]
  },
  function rareUsers({ resources: { users } }) {
    if (!users.enabled || users.full.intervalMs <= rareMs) return []
    const sentence = `"${users.full.expression}" leaves ${describeDuration(users.full.intervalMs)} between two full syncs`
    const advice = 'Only a full sync detects changed and removed users: run it at least every 3 h'
    return [warning('schedule.users.full', sentence, advice)]
  },
  function tightFreshness({ resources }) {
    return resourceNames.flatMap((name) => {
      const { enabled, freshnessMs, full } = resources[name]
      if (!enabled || freshnessMs === null || freshnessMs >= 2 * full.intervalMs) return []
      const sentence = `${describeDuration(freshnessMs)} for ${name}, synced in full every ${describeDuration(full.intervalMs)}`
      return [
        warning('freshness', sentence, 'A single failed full sync makes its checks unknown; allow twice the interval'),
      ]
    })
  },
  function disabledChecks({ checks: configured }) {
    const off = Object.entries(configured).flatMap(([id, { enabled }]) => (enabled ? [] : [id]))
    if (off.length === 0) return []
    return [
      warning('checks', `${off.length} switched off: ${off.join(', ')}`, 'They are not evaluated and have no findings'),
    ]
  },
  function unknownStatuses({ checks: configured, documents: { knownStatuses } }) {
    return statusChecks.flatMap((id) => {
      const { enabled = false, options } = configured[id] ?? {}
      const { success, data = [] } = statuses().safeParse(options?.['statuses'])
      const unknown = enabled && success ? data.filter((status) => !knownStatuses.includes(status)) : []
      if (unknown.length === 0) return []
      const sentence = `statuses has ${unknown.map(String).join(', ')}, which documents.knownStatuses does not have`
      return [warning(id, sentence, 'Add it there, otherwise document-status-known fails for it')]
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
  function daylightSaving({ resources }, { timezone }) {
    const daily = resourceNames.filter((name) => resources[name].enabled && resources[name].full.intervalMs >= dayMs)
    if (daily.length === 0 || !hasDaylightSaving(timezone)) return []
    const sentence = `${timezone} has daylight saving time: a daily full sync (${daily.join(', ')}) may be skipped`
    return [warning('timezone', sentence, 'Use UTC, or an hour that the change does not affect')]
  },
]

/** True where January and July have different offsets from UTC. */
function hasDaylightSaving(timeZone: string): boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offset = (month: number) =>
    format.formatToParts(Date.UTC(2026, month, 15)).find(({ type }) => type === 'timeZoneName')?.value
  return offset(0) !== offset(6)
}
