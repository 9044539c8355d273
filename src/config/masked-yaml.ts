import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { dayOf } from '../model/dates.ts'
import { secondMs } from '../model/durations.ts'
import { resourceNames } from '../model/resource-names.ts'
import { formatListen } from './listen.ts'
import type {
  ApiSettings,
  AuthSettings,
  CheckSettings,
  Settings,
  StoreSettings,
  TenantSettings,
  Waiver,
} from './settings.ts'
import { maskUrl } from './urls.ts'
import { formatDuration } from './yaml/leaves.ts'

const shared = ['api', 'resources', 'schedule', 'freshness', 'checks'] as const

/** The settings as configuration file, with possible secrets replaced by `redacted`; can be loaded again. */
export function maskedYaml(settings: Settings): string {
  const tenants = settings.tenants.map(writtenTenant)
  const [first] = tenants
  const common = shared.filter((key) => tenants.every((tenant) => isDeepStrictEqual(tenant[key], first?.[key])))
  const general = Object.fromEntries(common.map((key) => [key, first?.[key] ?? {}]))
  const document = {
    tenants: tenants.map((tenant) => without(tenant, common)),
    ...general,
    schedule: { ...general['schedule'], evaluate: settings.evaluate.expression, timezone: settings.timezone },
    ...limits(settings),
    history: { retentionDays: settings.historyRetentionDays },
    store: writtenStore(settings.store),
    server: {
      listen: formatListen(settings.server),
      webConfig: settings.server.webConfig,
      exposeDetails: settings.server.exposeDetails,
      allowedHosts: settings.server.allowedHosts,
    },
    ownChecks: {
      folder: settings.ownChecks.folder,
      timeoutSeconds: settings.ownChecks.timeoutMs / secondMs,
      maxRows: settings.ownChecks.maxRows,
    },
    waivers: settings.waivers.map(writtenWaiver),
    log: { level: settings.logLevel },
  }
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}

function without(tenant: WrittenTenant, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(tenant).filter(([key]) => !keys.includes(key)))
}

function limits({ tenants: [first] }: Settings): object {
  if (first === undefined) return {}
  const { users, userDetails, documents, removals } = first
  const { overlapMs, knownStatuses } = documents
  return { users, userDetails, documents: { overlap: formatDuration(overlapMs), knownStatuses }, removals }
}

function writtenWaiver({ expiresMs, ...waiver }: Waiver): object {
  return { ...waiver, expires: dayOf(expiresMs) }
}

function writtenTenant(tenant: TenantSettings) {
  const { name, baseUrl, auth, ownClientId, api, resources, checks } = tenant
  const schedule: Record<string, Readonly<Record<string, string>>> = {}
  const freshness: Record<string, string> = {}
  for (const resource of resourceNames) {
    const { incremental, full, freshnessMs } = resources[resource]
    const written = incremental === null ? {} : { incremental: incremental.expression }
    schedule[resource] = { ...written, full: full.expression }
    if (freshnessMs !== null) freshness[resource] = formatDuration(freshnessMs)
  }
  return {
    name,
    baseUrl,
    auth: { ...auth, token: maskedToken(auth.token) },
    ownClientId,
    api: writtenApi(api),
    resources: Object.fromEntries(resourceNames.map((key) => [key, { enabled: resources[key].enabled }])),
    schedule,
    freshness,
    checks: Object.fromEntries(Object.entries(checks).map(([id, check]) => [id, writtenCheck(check)])),
  }
}

function writtenStore({ path, url }: StoreSettings): object {
  return url === null ? { path } : { url: maskedToken(url) }
}

type WrittenTenant = ReturnType<typeof writtenTenant>

/** Masks arguments of commands and queries of URLs, which may contain secrets; shows names of variables and files. */
function maskedToken(token: AuthSettings['token']): AuthSettings['token'] {
  if ('oauth2' in token) return { oauth2: { ...token.oauth2, tokenUrl: maskUrl(token.oauth2.tokenUrl) } }
  if (!('command' in token)) return token
  return { command: token.command.map((part, index) => (index === 0 ? part : '[redacted]')) }
}

function writtenApi({ timeoutMs, maxBodyBytes, proxy, pageSizeParameter, pageSize, ...rest }: ApiSettings) {
  return {
    pageSizeParameter,
    pageSize,
    timeoutSeconds: timeoutMs / 1000,
    maxBodyMiB: maxBodyBytes / 2 ** 20,
    ...rest,
    proxy: proxy === null ? null : maskUrl(proxy),
  }
}

function writtenCheck({ enabled, severity, options }: CheckSettings): Readonly<Record<string, unknown>> {
  return severity === null ? { enabled, ...options } : { enabled, severity, ...options }
}
