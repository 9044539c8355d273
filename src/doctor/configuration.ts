import { resolve } from 'node:path'
import type { EnvLookup } from '../api/options.ts'
import { environmentProxy } from '../api/transport/proxy.ts'
import { checks } from '../checks/index.ts'
import { busyStatuses, doneStatusesOf } from '../checks/support/documents.ts'
import type { Ignored } from '../config/load-settings.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { formatListen, maskUrl } from '../config/values.ts'
import { isProtected, readWebSettings } from '../config/web-settings.ts'
import { type Check, ruleContextOf, settingsOf } from '../evaluate/check.ts'
import { isLoopback } from '../model/process/address.ts'
import { lowerFirst } from '../model/text/words.ts'
import { dayOf } from '../model/time.ts'
import { exposesDetails } from '../web/access-control.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

export function openAddress({ server }: Settings, cwd: string): readonly Diagnosis[] {
  const { host, webConfig } = server
  const reading = webConfig === null ? null : readWebSettings(resolve(cwd, webConfig), cwd)
  const [mistake] = reading?.mistakes ?? []
  if (mistake !== undefined) {
    const advice = 'Run the doctor as the user of the daemon, or see "tenantwatch config check"'
    return [failure('webConfig', mistake.sentence, advice)]
  }
  if (isLoopback(host) || (reading !== null && isProtected(reading.settings))) return []
  const open = warning(
    'listen',
    `status page and metrics are open to everybody who can reach ${formatListen(server)}: no users are configured`,
    'Set server.webConfig with users, or server.listen to a loopback address',
  )
  if (!exposesDetails(server, false)) return [open]
  const advice = 'Set server.exposeDetails to auto, or server.webConfig with users'
  return [open, warning('exposeDetails', `names and e-mails are shown to everybody who can reach ${host}`, advice)]
}

export function ignoredSettings(ignored: readonly Ignored[]): readonly Diagnosis[] {
  return ignored.map(({ name, because }) =>
    warning('settings', `${name} is ignored, because ${because}`, `Remove ${name}`),
  )
}

/** Settings of a tenant that are valid, but leave something unwatched or unsafe. */
export function tenantWarnings(tenant: TenantSettings): readonly Diagnosis[] {
  const found: Diagnosis[] = []
  if (tenant.ownClientId === null) {
    const advice =
      'Set it to the API client of this token: then the expiry of the secret of that client has an alert of its own, and a list of API clients without that client raises a hold'
    found.push(warning('ownClientId', 'is not set', advice))
  }
  const { protocol, hostname } = new URL(tenant.baseUrl)
  if (protocol === 'http:' && !isLoopback(hostname))
    found.push(warning('baseUrl', 'is http: the token travels unencrypted', 'Use https'))
  const off = Object.entries(tenant.checks).flatMap(([id, { enabled }]) => (enabled ? [] : [id]))
  if (off.length > 0) {
    const advice = 'They are not evaluated and have no findings'
    found.push(warning('checks', `${off.length} switched off: ${off.join(', ')}`, advice))
  }
  return [...found, ...uncoveredStatuses(tenant), ...assumptions(tenant)]
}

/** The proxy that requests go through, without its credentials; nothing without one. */
export function proxyInUse({ api, baseUrl }: TenantSettings, env: EnvLookup): readonly Diagnosis[] {
  const { proxy } = api
  if (typeof proxy === 'string') return [fine('proxy', `requests go through ${maskUrl(proxy)}, as api.proxy says`)]
  if (proxy !== null) return [fine('proxy', 'requests go through the proxy that api.proxy names')]
  const found = environmentProxy(new URL(baseUrl).origin, env)
  if (found === null) return []
  return [fine('proxy', `requests go through ${maskUrl(found)}, as HTTPS_PROXY or HTTP_PROXY says`)]
}

/** What enabled checks assume because an option is not set. */
function assumptions(tenant: TenantSettings): readonly Diagnosis[] {
  const assumed = checks.flatMap((check: Check) => {
    const { enabled, options } = settingsOf(check, tenant)
    const sentence = enabled ? (check.assumption?.(options) ?? null) : null
    return sentence === null ? [] : [{ check, sentence: lowerFirst(sentence) }]
  })
  const ofDrift = assumed.filter(({ check }) => check.drift !== undefined)
  const others = assumed.filter(({ check }) => check.drift === undefined)
  const advice = 'After the first sync, compare users you know with "tenantwatch export users"'
  const baselines = Map.groupBy(ofDrift, ({ sentence }) => sentence)
  return [
    ...others.map(({ check, sentence }) => warning(check.id, sentence, advice)),
    ...[...baselines].map(([sentence, of]) =>
      fine('baseline', `${of.map(({ check }) => check.id).join(', ')}: ${sentence}`),
    ),
  ]
}

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
