import { resourceNames } from '../model/resource-names.ts'
import { maskUrl } from './credentials/mask-url.ts'
import { formatDuration } from './schedule/format-duration.ts'
import type { ApiSettings, AuthSettings, CheckSettings, TenantSettings } from './settings.ts'

/** The settings of one tenant in the format of the configuration file, with secrets masked. */
export function writtenTenant(tenant: TenantSettings) {
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

export type WrittenTenant = ReturnType<typeof writtenTenant>

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
