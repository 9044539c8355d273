import type { CheckSettings, ResourceSettings, TenantSettings } from '../../../src/config/settings.ts'
import { hourMs, minuteMs } from '../../../src/model/durations.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import { resources as catalogue } from '../../../src/resources/index.ts'

const cron = (intervalMs: number) => ({ expression: '* * * * *', intervalMs })
const fullSyncs: ResourceSettings = { enabled: true, incremental: null, full: cron(30 * minuteMs), freshnessMs: null }
const incrementals: ResourceSettings = {
  enabled: true,
  incremental: cron(5 * minuteMs),
  full: cron(hourMs),
  freshnessMs: null,
}

export interface SettingsChanges {
  readonly checks?: Readonly<Record<string, Partial<CheckSettings>>>
  readonly resources?: Readonly<Partial<Record<ResourceName, Partial<ResourceSettings>>>>
}

/** Settings of the tenant `acme`: full syncs each half hour, of users and documents each hour. */
export function tenantSettings({ checks = {}, resources = {} }: SettingsChanges = {}): TenantSettings {
  return {
    name: 'acme',
    baseUrl: 'https://api.example.com',
    auth: { header: 'Authorization', scheme: 'Bearer', token: { env: 'TOKEN' } },
    ownClientId: null,
    portalUrl: {},
    api: {
      pageSizeParameter: null,
      pageSize: 200,
      timeoutMs: 30_000,
      maxPages: 100_000,
      maxBodyBytes: 8 << 20,
      requestsPerSecond: 10,
      allowInsecureHttp: false,
      proxy: null,
      caFile: null,
    },
    resources: Object.fromEntries(
      catalogue.map(({ name, kind }) => [
        name,
        { ...(kind === 'feed' ? incrementals : fullSyncs), ...resources[name] },
      ]),
    ) as TenantSettings['resources'],
    checks: Object.fromEntries(
      Object.entries(checks).map(([id, own]) => [id, { enabled: true, severity: null, options: {}, ...own }]),
    ),
    users: { knownStates: ['Active', 'Invited'] },
    roles: { knownStates: ['Active', 'Inactive'] },
    userDetails: { perRun: 200, concurrency: 4 },
    documents: { overlapMs: hourMs, knownStatuses: ['Completed', 'Processing'] },
    removals: { maxPercent: 10, maxCount: 5, confirmPerRun: 1000 },
  }
}
