import type { Waiver } from '../config/settings.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { InventoryGauge } from './inventory-gauge.ts'

export interface ResourceSeries {
  readonly resource: ResourceName
  readonly endpoints: readonly string[]
  readonly holds: readonly Reason[]
  readonly gauges: readonly InventoryGauge[]
}

export interface ResourceSeriesConfig extends ResourceSeries {
  readonly modes: readonly SyncMode[]
}

export interface TenantSeriesConfig {
  readonly name: string
  /** Enabled resources; disabled ones have no series. */
  readonly resources: readonly ResourceSeriesConfig[]
  readonly checks: readonly string[]
}

export interface MetricsConfig {
  readonly tenants: readonly TenantSeriesConfig[]
  readonly waivers: readonly Waiver[]
}
