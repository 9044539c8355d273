import { checksOf } from '../checks/index.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { settingsOf } from '../evaluate/check.ts'
import { inventories } from '../metrics/inventory.ts'
import type { TenantSeriesConfig } from '../metrics/tenant-facts.ts'
import { resultLimitMs } from '../model/freshness.ts'
import { syncModes } from '../model/resource-names.ts'
import { severities } from '../model/severity.ts'
import { secondMs } from '../model/time.ts'

export function metricsConfig(
  tenant: Pick<TenantSettings, 'name' | 'resources' | 'checks'>,
  settings: Pick<Settings, 'evaluate' | 'ownChecks'>,
): TenantSeriesConfig {
  const { name, resources: switches } = tenant
  const checks = checksOf(settings)
  const thresholds = checks.flatMap((check) => {
    const limits = check.alertThresholds?.(settingsOf(check, tenant).options) ?? {}
    return severities.flatMap((severity) => {
      const ms = limits[severity]
      return ms === undefined ? [] : [{ check: check.id, severity, seconds: ms / secondMs }]
    })
  })
  const resources = inventories.flatMap((series) => {
    const { enabled, incremental } = switches[series.resource]
    return enabled ? [{ ...series, modes: incremental === null ? (['full'] as const) : syncModes }] : []
  })
  return {
    name,
    resources,
    checks: checks.map(({ id }) => id),
    thresholds,
    evaluationLimitSeconds: resultLimitMs(settings.evaluate.intervalMs) / secondMs,
  }
}
