import type { Waiver } from '../config/settings.ts'
import type { ContractEventKind } from '../model/contract-events.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { InventoryGauge } from './inventory-gauge.ts'

/** Which series a resource of the catalogue has: what can occur is born at 0. */
export interface ResourceSeries {
  readonly resource: ResourceName
  /** Path templates that are asked for it, such as `/api/public/users/{id}`. */
  readonly endpoints: readonly string[]
  /** Reasons a run can fail for. */
  readonly failures: readonly Reason[]
  /** Reasons a hold of this resource alone can have. */
  readonly holds: readonly Reason[]
  readonly contractEvents: readonly ContractEventKind[]
  readonly gauges: readonly InventoryGauge[]
}

/** A resource that is switched on for a tenant. */
export interface ResourceSeriesConfig extends ResourceSeries {
  readonly modes: readonly SyncMode[]
}

export interface TenantSeriesConfig {
  readonly name: string
  /** The enabled ones only: a resource that is switched off has no series. */
  readonly resources: readonly ResourceSeriesConfig[]
  /** Ids of all checks. */
  readonly checks: readonly string[]
}

/** What the configuration says the series are made of; replaced whole by a reload. */
export interface MetricsConfig {
  readonly tenants: readonly TenantSeriesConfig[]
  readonly waivers: readonly Waiver[]
}
