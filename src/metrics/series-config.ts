import type { TenantSettings, Waiver } from '../config/settings.ts'
import type { ClientSecret } from '../model/client-secret.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import type { RecordCounts } from '../store/port.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import type { AddSeries, FamilyDefinition } from './family.ts'

export interface InventoryContext {
  readonly settings: Pick<TenantSettings, 'users' | 'documents' | 'ownClientId'>
  /** True once the resource completed a full sync; before that, a count would be partial. */
  readonly complete: boolean
  /** Until when open findings of a check are waived, by entity, in milliseconds since the epoch. */
  readonly waived: (check: string) => Promise<ReadonlyMap<string, number>>
  /** Counts of records, as of the last evaluation. */
  readonly counts: ReadonlyMap<ResourceName, RecordCounts>
  /** The record of a resource that has at most one; read once for all gauges. */
  readonly only: (resource: ResourceName) => Promise<MirrorRecord | undefined>
  /** Secrets of all API clients; read once for all gauges. */
  readonly secrets: () => Promise<readonly ClientSecret[]>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * A gauge about mirrored records, read at each scrape. `read` adds no series of a resource that was never synced. The
 * caller adds the label `tenant`.
 */
export interface InventoryGauge extends FamilyDefinition {
  read(context: InventoryContext, add: AddSeries): Promise<void>
}

export interface ResourceSeries {
  readonly resource: ResourceName
  readonly endpoints: readonly string[]
  readonly holds: readonly Reason[]
  readonly gauges: readonly InventoryGauge[]
}

export interface ResourceSeriesConfig extends ResourceSeries {
  readonly modes: readonly SyncMode[]
}

export interface AlertThreshold {
  readonly check: string
  readonly severity: Severity
  readonly seconds: number
}

export interface TenantSeriesConfig {
  readonly name: string
  /** Enabled resources; disabled ones have no series. */
  readonly resources: readonly ResourceSeriesConfig[]
  readonly checks: readonly string[]
  /** What the shipped rules compare with. */
  readonly thresholds: readonly AlertThreshold[]
  /** Age of the last evaluation beyond which its results no longer count. */
  readonly evaluationLimitSeconds: number
}

export interface MetricsConfig {
  readonly tenants: readonly TenantSeriesConfig[]
  readonly waivers: readonly Waiver[]
}
