import { cronSchedule } from '../../src/config/cron.ts'
import type { ApiSettings, AuthSettings, ResourceSettings, TenantSettings } from '../../src/config/settings.ts'
import type { ResourceDefinition } from '../../src/model/resource.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { hourMs } from '../../src/model/time.ts'
import { resources as catalogue } from '../../src/resources/index.ts'

const cron = (intervalMs: number) => ({ expression: '* * * * *', intervalMs })

/** As often as each resource is synced by default. */
function scheduleOf({ schedule }: ResourceDefinition): Pick<ResourceSettings, 'incremental' | 'full'> {
  const every = (expression: string) => cron(cronSchedule(expression).intervalMs)
  const { incremental, full = '' } = schedule
  return { incremental: incremental === undefined ? null : every(incremental), full: every(full) }
}

/** Changes of a test to the default configuration; each group member by member. */
export interface EngineSettings {
  readonly name?: string
  readonly baseUrl?: string
  readonly ownClientId?: string | null
  readonly auth?: Partial<AuthSettings>
  readonly api?: Partial<ApiSettings>
  readonly resources?: Readonly<Partial<Record<ResourceName, Partial<ResourceSettings>>>>
  readonly users?: Partial<TenantSettings['users']>
  readonly userDetails?: Partial<TenantSettings['userDetails']>
  readonly documents?: Partial<TenantSettings['documents']>
  readonly removals?: Partial<TenantSettings['removals']>
}

/** The default configuration of the tenant `acme`, its schedule included, at this address; no limit on requests. */
export function engineSettings(baseUrl: string, changes: EngineSettings = {}): TenantSettings {
  const { name = 'acme', ownClientId = null, resources = {} } = changes
  const all = catalogue.map((one) => {
    const settings = { enabled: true, freshnessMs: null, ...scheduleOf(one), ...resources[one.name] }
    return [one.name, settings] as const
  })
  return {
    name,
    baseUrl: changes.baseUrl ?? baseUrl,
    auth: { header: 'Authorization', scheme: 'Bearer', token: { env: 'TOKEN' }, ...changes.auth },
    ownClientId,
    portalUrl: {},
    api: {
      pageSizeParameter: null,
      pageSize: 200,
      timeoutMs: 10_000,
      maxPages: 100_000,
      maxBodyBytes: 8 << 20,
      requestsPerSecond: 0,
      allowInsecureHttp: false,
      proxy: null,
      caFile: null,
      ...changes.api,
    },
    resources: Object.fromEntries(all) as TenantSettings['resources'],
    checks: {},
    users: { knownStates: ['Active', 'Invited'], ...changes.users },
    roles: { knownStates: ['Active', 'Inactive'] },
    userDetails: { perRun: 200, concurrency: 4, ...changes.userDetails },
    documents: { overlapMs: hourMs, knownStatuses: ['Completed', 'Processing'], ...changes.documents },
    removals: { maxPercent: 10, maxCount: 5, confirmPerRun: 1000, ...changes.removals },
  }
}
