import type { HoldView, ResourceView, TenantPosture } from '../model/posture.ts'

/** How far the mirror of one resource can be believed, the worst first. */
export const resourceStates = [
  'held',
  'unauthorised',
  'never',
  'stale',
  'quarantined',
  'missing',
  'failing',
  'fresh',
] as const

export type ResourceState = (typeof resourceStates)[number]

/** The worst that is true of a resource. */
export function resourceState(view: ResourceView, holds: readonly HoldView[]): ResourceState {
  if (holds.some((hold) => hold.resource === view.resource || hold.resource === 'all')) return 'held'
  const failures = view.modes.filter((mode) => !mode.up).map((mode) => mode.reason)
  if (failures.some((reason) => reason === 'unauthorized' || reason === 'missing_permission')) return 'unauthorised'
  if (view.dataAsOf === null) return 'never'
  if (!view.fresh) return 'stale'
  if (view.quarantined > 0) return 'quarantined'
  if (view.missing > 0) return 'missing'
  return failures.some((reason) => reason !== null) ? 'failing' : 'fresh'
}

/** True when what was read of a resource can be believed. A failing incremental sync spoils nothing while the data is fresh. */
export function isFreshAndComplete(view: ResourceView, holds: readonly HoldView[]): boolean {
  const state = resourceState(view, holds)
  return view.enabled && (state === 'fresh' || state === 'failing')
}

/** True when the last run of something could not be stored: what is shown is older than what was read. */
export function isUnstored({ resources }: TenantPosture): boolean {
  return resources.some(({ enabled, modes }) => enabled && modes.some(({ up, reason }) => !up && reason === 'store'))
}

export interface DataQuality {
  /** `full` only when every enabled resource is fresh; `none` when no check result can rest on anything. */
  readonly level: 'full' | 'partial' | 'none'
  readonly trusted: number
  readonly of: number
}

/** Whether a tenant's check results can be believed, in one word. */
export function dataQualityOf(posture: TenantPosture): DataQuality {
  const enabled = posture.resources.filter((view) => view.enabled)
  const trusted = enabled.filter((view) => isFreshAndComplete(view, posture.holds)).length
  const level = trusted === 0 ? 'none' : trusted === enabled.length && posture.holds.length === 0 ? 'full' : 'partial'
  return { level, trusted, of: enabled.length }
}
