import { checksOf } from '../checks/index.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { inventories } from '../metrics/inventory/index.ts'
import type { MetricsConfig, ResourceSeriesConfig, TenantSeriesConfig } from '../metrics/series-config.ts'

export function metricsConfig(settings: Pick<Settings, 'ownChecks' | 'tenants' | 'waivers'>): MetricsConfig {
  const checks = checksOf(settings).map(({ id }) => id)
  return { tenants: settings.tenants.map((tenant) => tenantSeriesConfig(tenant, checks)), waivers: settings.waivers }
}

function tenantSeriesConfig(
  { name, resources: switches }: TenantSettings,
  checks: readonly string[],
): TenantSeriesConfig {
  const resources = inventories.flatMap((series): ResourceSeriesConfig[] => {
    const { enabled, incremental } = switches[series.resource]
    return enabled ? [{ ...series, modes: incremental === null ? ['full'] : ['incremental', 'full'] }] : []
  })
  return { name, resources, checks }
}
