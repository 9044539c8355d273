import type { ApiSettings, AuthSettings, ResourceSettings, TenantSettings } from '../../src/config/settings.ts'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'

const cron = (intervalMs: number) => ({ expression: '* * * * *', intervalMs })

const schedules: Readonly<Record<ResourceName, Pick<ResourceSettings, 'incremental' | 'full'>>> = {
  'api-clients': { incremental: null, full: cron(15 * minuteMs) },
  'authentication-settings': { incremental: null, full: cron(5 * minuteMs) },
  documents: { incremental: cron(5 * minuteMs), full: cron(6 * hourMs) },
  permissions: { incremental: null, full: cron(30 * minuteMs) },
  roles: { incremental: null, full: cron(30 * minuteMs) },
  users: { incremental: cron(5 * minuteMs), full: cron(hourMs) },
}

/** What a test changes of the default configuration; each group member by member. */
export interface EngineSettings {
  readonly name?: string
  readonly baseUrl?: string
  readonly ownClientId?: string | null
  readonly auth?: Partial<AuthSettings>
  readonly api?: Partial<ApiSettings>
  readonly resources?: Readonly<Partial<Record<ResourceName, Partial<ResourceSettings>>>>
  readonly userDetails?: Partial<TenantSettings['userDetails']>
  readonly documents?: Partial<TenantSettings['documents']>
  readonly removals?: Partial<TenantSettings['removals']>
}

/** The default configuration of the tenant `acme`, its schedule included, at this address; no limit on requests. */
export function engineSettings(baseUrl: string, changes: EngineSettings = {}): TenantSettings {
  const { name = 'acme', ownClientId = null, resources = {} } = changes
  const resource = (one: ResourceName): ResourceSettings => ({
    enabled: true,
    freshnessMs: null,
    ...schedules[one],
    ...resources[one],
  })
  return {
    name,
    baseUrl: changes.baseUrl ?? baseUrl,
    auth: { header: 'Authorization', scheme: 'Bearer', token: { env: 'TOKEN' }, ...changes.auth },
    ownClientId,
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
    resources: {
      'api-clients': resource('api-clients'),
      'authentication-settings': resource('authentication-settings'),
      documents: resource('documents'),
      permissions: resource('permissions'),
      roles: resource('roles'),
      users: resource('users'),
    },
    checks: {},
    userDetails: { perRun: 200, concurrency: 4, ...changes.userDetails },
    documents: { overlapMs: hourMs, knownStatuses: ['Completed', 'Processing'], ...changes.documents },
    removals: { maxPercent: 10, maxCount: 5, confirmPerRun: 1000, ...changes.removals },
  }
}
