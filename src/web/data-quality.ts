import type { HoldView, ResourceView, TenantPosture } from '../model/posture.ts'

/** States of the mirrored data of one resource, the worst first. */
export const resourceStates = [
  'on_hold',
  'unauthorised',
  'never',
  'stale',
  'quarantined',
  'missing',
  'failing',
  'fresh',
] as const

export type ResourceState = (typeof resourceStates)[number]

/** The worst state that applies to a resource. */
export function resourceState(view: ResourceView, holds: readonly HoldView[]): ResourceState {
  if (holds.some((hold) => hold.resource === view.resource || hold.resource === 'all')) return 'on_hold'
  const failures = view.modes.filter((mode) => !mode.up).map((mode) => mode.reason)
  if (failures.some((reason) => reason === 'unauthorized' || reason === 'missing_permission')) return 'unauthorised'
  if (view.dataAsOf === null) return 'never'
  if (!view.fresh) return 'stale'
  if (view.quarantined > 0) return 'quarantined'
  if (view.missing > 0) return 'missing'
  return failures.some((reason) => reason !== null) ? 'failing' : 'fresh'
}

/** True when the data of a resource is fresh and complete. A failing incremental sync changes nothing while it is fresh. */
export function isFreshAndComplete(view: ResourceView, holds: readonly HoldView[]): boolean {
  const state = resourceState(view, holds)
  return view.enabled && (state === 'fresh' || state === 'failing')
}

/** True when the last run of a resource could not be stored: the mirror is older than the last answer of the tenant. */
export function isUnstored({ resources }: TenantPosture): boolean {
  return resources.some(({ enabled, modes }) => enabled && modes.some(({ up, reason }) => !up && reason === 'store'))
}

export interface DataQuality {
  /** `full` when every enabled resource is fresh and complete and there is no hold; `none` when no resource is. */
  readonly level: 'full' | 'partial' | 'none'
  /** Enabled resources whose data is fresh and complete. */
  readonly fresh: number
  readonly of: number
}

/** Sums up the data quality of a tenant's enabled resources. */
export function dataQualityOf(posture: TenantPosture): DataQuality {
  const enabled = posture.resources.filter((view) => view.enabled)
  const fresh = enabled.filter((view) => isFreshAndComplete(view, posture.holds)).length
  const level = fresh === 0 ? 'none' : fresh === enabled.length && posture.holds.length === 0 ? 'full' : 'partial'
  return { level, fresh, of: enabled.length }
}
