import { resolve } from 'node:path'
import { apiClientLeastPrivilege as check } from '../checks/api-client-least-privilege.ts'
import { checks } from '../checks/index.ts'
import { busyStatuses, doneStatusesOf, statuses } from '../checks/support/documents.ts'
import { quoted } from '../checks/support/words.ts'
import { formatListen } from '../config/listen.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { readWebSettings } from '../config/web/load-web-settings.ts'
import { isProtected } from '../config/web/web-settings.ts'
import type { Check } from '../evaluate/check.ts'
import { ruleContextOf, settingsOf } from '../evaluate/check-settings.ts'
import { dayOf } from '../model/dates.ts'
import { describeDuration, hourMs } from '../model/durations.ts'
import { isLoopback } from '../model/process/address.ts'
import { resourceNames } from '../model/resource-names.ts'
import { plural } from '../model/text/numbers.ts'
import { lowerFirst } from '../model/text/words.ts'
import type { RecordReader } from '../store/records/query.ts'
import { exposesDetails } from '../web/access-control.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

const shortHistoryDays = 30

/** Warnings of the whole configuration, without those of each tenant. @param others warnings found elsewhere. */
export function configWarnings(settings: Settings, cwd: string, others: readonly Diagnosis[]): readonly Diagnosis[] {
  const found = [...openAddress(settings, cwd), ...ofHistory(settings), ...ofLog(settings), ...others]
  const isClean =
    found.length === 0 &&
    settings.tenants.every((tenant) => tenantWarnings(tenant).every(({ level }) => level === 'ok'))
  return isClean ? [fine('configuration', 'no warnings')] : found
}

export function openAddress({ server }: Settings, cwd: string): readonly Diagnosis[] {
  const { host, webConfig } = server
  if (isLoopback(host)) return []
  const reading = webConfig === null ? null : readWebSettings(resolve(cwd, webConfig), cwd)
  if (reading !== null && reading.problems.length > 0) {
    const advice = 'Run the doctor as the user of the daemon, or see "tenantwatch config check"'
    return [warning('webConfig', `cannot be checked: ${reading.problems[0]}`, advice)]
  }
  if (reading !== null && isProtected(reading.settings)) return []
  const open = warning(
    'listen',
    `status page and metrics are open to everybody who can reach ${formatListen(server)}: no users are configured`,
    'Set server.webConfig with users, or server.listen to a loopback address',
  )
  if (!exposesDetails(server, false)) return [open]
  const advice = 'Set server.exposeDetails to auto, or server.webConfig with users'
  return [open, warning('exposeDetails', `names and e-mails are shown to everybody who can reach ${host}`, advice)]
}

/** @param ignored key or variable of a path that is set beside a URL. */
export function ignoredStorePath(ignored: string | null): readonly Diagnosis[] {
  if (ignored === null) return []
  return [warning('store', `${ignored} is ignored, because a URL of the database is set`, `Remove ${ignored}`)]
}

function ofHistory({ historyRetentionDays: days }: Settings): readonly Diagnosis[] {
  if (days >= shortHistoryDays) return []
  const advice = 'Audits usually need more: raise history.retentionDays'
  return [warning('retention', `history is kept for ${plural(days, 'day')} only`, advice)]
}

function ofLog({ logLevel }: Settings): readonly Diagnosis[] {
  if (logLevel !== 'silent' && logLevel !== 'fatal') return []
  return [warning('log', `level ${logLevel} hides why runs fail`, 'Set log.level to info or warn')]
}

type Rule = (tenant: TenantSettings) => readonly Diagnosis[]

const rareMs = 3 * hourMs
const statusChecks = ['document-processing-finished', 'document-required-present'] as const

export function tenantWarnings(tenant: TenantSettings): readonly Diagnosis[] {
  return rules.flatMap((rule) => rule(tenant))
}

const rules: readonly Rule[] = [
  function ownClient({ ownClientId }) {
    if (ownClientId !== null) return []
    const advice =
      'Set it to the API client of this token: then the expiry of the secret of that client has an alert of its own, and a list of API clients without that client raises a hold'
    return [warning('ownClientId', 'is not set', advice)]
  },
  function plainHttp({ baseUrl }) {
    const { protocol, hostname } = new URL(baseUrl)
    if (protocol !== 'http:' || isLoopback(hostname)) return []
    return [warning('baseUrl', 'is http: the token travels unencrypted', 'Use https')]
  },
  function noRate({ api }) {
    if (api.requestsPerSecond !== 0) return []
    return [
      warning('requestsPerSecond', 'is 0: the request rate is unlimited', 'Set api.requestsPerSecond, such as 10'),
    ]
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
  uncoveredStatuses,
  function assumptions(tenant) {
    const found = checks.flatMap((check: Check) => {
      const { enabled, options } = settingsOf(check, tenant)
      const sentence = enabled ? (check.assumption?.(options) ?? null) : null
      return sentence === null ? [] : [{ check, sentence: lowerFirst(sentence) }]
    })
    const ofDrift = found.filter(({ check }) => check.drift !== undefined)
    const others = found.filter(({ check }) => check.drift === undefined)
    const advice = 'After the first sync, compare users you know with "tenantwatch export users"'
    return [
      ...others.map(({ check, sentence }) => warning(check.id, sentence, advice)),
      ...[...Map.groupBy(ofDrift, ({ sentence }) => sentence)].map(([sentence, of]) =>
        fine('baseline', `${of.map(({ check }) => check.id).join(', ')}: ${sentence}`),
      ),
    ]
  },
]

/** Known statuses that mean neither busy nor finished: document-status-known passes for them, and no other check fails. */
export function uncoveredStatuses(tenant: TenantSettings): readonly Diagnosis[] {
  const { optionsOf, knownDocumentStatuses } = ruleContextOf(tenant)
  const busy = busyStatuses.parse(optionsOf('document-processing-finished')['statuses'])
  const covered = [...busy, ...doneStatusesOf(optionsOf)]
  const uncovered = knownDocumentStatuses.filter((status) => !covered.includes(status))
  if (!tenant.resources.documents.enabled || uncovered.length === 0) return []
  const sentence = `documents.knownStatuses has ${uncovered.map(String).join(', ')}, which neither checks.document-processing-finished.statuses (busy) nor checks.document-required-present.statuses (finished) has: a document in it fails no check`
  return [warning('knownStatuses', sentence, 'Add it to the list that fits')]
}

/** By local time only, without the newest time in the database. */
export function endedWaivers(waivers: Settings['waivers'], now: number): readonly Diagnosis[] {
  return waivers.flatMap(({ id, check, entity, expiresMs }) => {
    if (now <= expiresMs) return []
    const sentence = `waiver ${id} (${check}, ${entity}) ended on ${dayOf(expiresMs)}`
    return [warning('waivers', sentence, 'It waives nothing: remove it or renew it')]
  })
}

/** Warns of keys of `allowed` that the check ignores, such as the name of a client. */
export async function diagnoseAllowed(records: RecordReader, tenant: TenantSettings): Promise<readonly Diagnosis[]> {
  const { enabled, options } = settingsOf(check, tenant)
  const unknown = new Map(Object.keys(Object(options['allowed'])).map((id) => [id.toLowerCase(), id]))
  if (!enabled || unknown.size === 0) return []
  const clients = (await Array.fromAsync(records.select('api-clients'))).flat()
  if (clients.length === 0) return []
  for (const { key } of clients) unknown.delete(key.toLowerCase())
  const advice = 'Write the clientId of a client, as "tenantwatch export api-clients" lists it'
  return [...unknown.values()].map((id) =>
    warning(check.id, `allowed names ${quoted(id)}, which is the id of no mirrored API client`, advice),
  )
}
