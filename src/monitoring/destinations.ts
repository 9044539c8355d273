import type { DashboardId } from './shipped.ts'

interface Destination {
  readonly dashboard: DashboardId
  /**
   * The part of the tenant's status page that shows the alert. Null = the daemon does not answer, or no longer has the
   * tenant, so it cannot serve the runbook or the tenant's page.
   */
  readonly part: 'data' | 'findings' | 'holds' | 'secrets' | 'waivers' | null
}

/** Where the links of alerts lead that are not about findings. */
export const destinations: Readonly<Record<string, Destination>> = {
  TenantwatchAccessRefused: { dashboard: 'operations', part: 'data' },
  TenantwatchClockWrong: { dashboard: 'operations', part: 'findings' },
  TenantwatchConfigReloadFailed: { dashboard: 'operations', part: 'findings' },
  TenantwatchContractChanged: { dashboard: 'operations', part: 'data' },
  TenantwatchDown: { dashboard: 'operations', part: null },
  TenantwatchEvaluationStalled: { dashboard: 'operations', part: 'findings' },
  TenantwatchHeld: { dashboard: 'posture', part: 'holds' },
  TenantwatchInstanceDown: { dashboard: 'operations', part: null },
  TenantwatchLabelsRenamed: { dashboard: 'operations', part: 'findings' },
  TenantwatchMetricsMissing: { dashboard: 'operations', part: null },
  TenantwatchOwnSecretExpires: { dashboard: 'posture', part: 'secrets' },
  TenantwatchQuarantine: { dashboard: 'posture', part: 'data' },
  TenantwatchReplicaStale: { dashboard: 'operations', part: 'findings' },
  TenantwatchSyncFailing: { dashboard: 'operations', part: 'data' },
  TenantwatchSyncNever: { dashboard: 'posture', part: 'data' },
  TenantwatchSyncStale: { dashboard: 'posture', part: 'data' },
  TenantwatchTenantGone: { dashboard: 'fleet', part: null },
  TenantwatchTenantsUnowned: { dashboard: 'fleet', part: 'findings' },
  TenantwatchWaiverEnds: { dashboard: 'posture', part: 'waivers' },
  TenantwatchWaiverLapsed: { dashboard: 'posture', part: 'waivers' },
  TenantwatchWaiverOrphaned: { dashboard: 'posture', part: 'waivers' },
  TenantwatchWatchdog: { dashboard: 'operations', part: 'findings' },
}
