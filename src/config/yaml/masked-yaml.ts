import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { secondMs } from '../../model/durations.ts'
import { formatListen } from '../listen.ts'
import { formatDuration } from '../schedule/format-duration.ts'
import type { Settings, Waiver } from '../settings.ts'
import { type WrittenTenant, writtenTenant } from '../written-tenant.ts'

const shared = ['api', 'resources', 'schedule', 'freshness', 'checks'] as const

/**
 * The effective configuration as YAML in the format of the configuration file, which can be loaded again. Possible secrets
 * (credentials of a proxy, arguments of a command, query of a token URL) are replaced by `redacted`. Sections that are the
 * same for every tenant are at the top level.
 */
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
    store: { path: settings.storePath },
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
  const { userDetails, documents, removals } = first
  const { overlapMs, knownStatuses } = documents
  return { userDetails, documents: { overlap: formatDuration(overlapMs), knownStatuses }, removals }
}

function writtenWaiver({ expiresMs, ...waiver }: Waiver): object {
  return { ...waiver, expires: new Date(expiresMs).toISOString().slice(0, 10) }
}
