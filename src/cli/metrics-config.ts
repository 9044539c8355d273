import { checks } from '../checks/index.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import type { MetricsConfig, ResourceShape, TenantShape } from '../metrics/shape.ts'
import { resources } from '../resources/index.ts'
import { inventories } from '../resources/inventories.ts'

/** The series that the configuration brings to life. */
export function metricsConfig({ tenants, waivers }: Pick<Settings, 'tenants' | 'waivers'>): MetricsConfig {
  return { tenants: tenants.map(tenantShape), waivers }
}

function tenantShape({ name, resources: switches }: TenantSettings): TenantShape {
  const shapes = inventories.flatMap((series): ResourceShape[] => {
    const { enabled, poll } = switches[series.resource]
    const endpoints = resources.find((resource) => resource.name === series.resource)?.endpoints ?? []
    return enabled ? [{ ...series, endpoints, modes: poll === null ? ['sweep'] : ['poll', 'sweep'] }] : []
  })
  return { name, resources: shapes, checks: checks.map(({ id }) => id) }
}
