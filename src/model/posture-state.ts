import type { CheckStatus } from './check-status.ts'
import type { CheckView, HoldView, ResourceView, TenantPosture } from './posture.ts'
import type { Refusal, UnknownReason } from './reasons.ts'
import { noFindings, severities, total } from './severity.ts'
import { hidden, withoutWaiverDetails } from './text/redact.ts'

/** State of the mirrored data of one resource. */
export type ResourceState =
  | ('off' | 'on_hold' | 'never' | 'stale' | 'quarantined' | 'missing' | 'failing' | 'fresh')
  | Refusal

export function resourceState(view: ResourceView, holds: readonly HoldView[]): ResourceState {
  if (!view.enabled) return 'off'
  if (holds.some((hold) => hold.resource === view.resource || hold.resource === 'all')) return 'on_hold'
  if (view.refused !== undefined) return view.refused
  if (view.dataAsOf === null || view.formerTenant) return 'never'
  if (!view.fresh) return 'stale'
  if (view.quarantined > 0) return 'quarantined'
  if (view.missing > 0) return 'missing'
  return view.modes.some(({ up, reason }) => !up && reason !== null) ? 'failing' : 'fresh'
}

/** Ignores a failing incremental sync while the data is fresh. */
export function isFreshAndComplete(view: ResourceView, holds: readonly HoldView[]): boolean {
  const state = resourceState(view, holds)
  return state === 'fresh' || state === 'failing'
}

/** True if the last run of a resource could not be stored, so that the mirror is older than the last answer. */
export function isUnstored({ resources }: TenantPosture): boolean {
  return resources.some(({ enabled, modes }) => enabled && modes.some(({ up, reason }) => !up && reason === 'store'))
}

/** `full` when every enabled resource is fresh and complete and there is no hold; `none` when no resource is. */
export function dataQualityOf(posture: TenantPosture) {
  const enabled = posture.resources.filter((view) => view.enabled)
  const fresh = enabled.filter((view) => isFreshAndComplete(view, posture.holds)).length
  const level = fresh === 0 ? 'none' : fresh === enabled.length && posture.holds.length === 0 ? 'full' : 'partial'
  return { level, fresh, of: enabled.length }
}

/** True when a check fails only for entities whose findings are waived. */
function isAllWaived({ status, open, waived }: CheckView): boolean {
  return status === 'fail' && total(open) === 0 && total(waived) > 0
}

export type ShownStatus = CheckStatus | 'waived'

/** The displayed status: a check whose failing entities are all waived is `waived`, or `unknown` if others may fail. */
export function shownStatus(view: CheckView): ShownStatus {
  if (!isAllWaived(view)) return view.status
  return view.notEvaluated === 0 && view.partial === undefined ? 'waived' : 'unknown'
}

/** The same without a word of its own for waived findings, for programs. */
export function presentStatus(view: CheckView): CheckStatus {
  return shownStatus(view) === 'unknown' ? 'unknown' : view.status
}

/** Why the displayed status is `unknown`; null for another one. */
export function unknownReason(view: CheckView): UnknownReason | null {
  return shownStatus(view) === 'unknown' ? (view.reason ?? view.partial ?? 'ambiguous') : null
}

/** Why entities beside the failing ones of a check may fail, too; null if none may, and for another displayed status. */
export function moreMayFail(view: CheckView): UnknownReason | null {
  if (!view.enabled || shownStatus(view) !== 'fail') return null
  return view.partial ?? ((view.notEvaluated ?? 0) > 0 ? 'ambiguous' : null)
}

/** Numbers of enabled checks by status and by displayed status, and of findings. */
export function tally(posture: TenantPosture) {
  const checks = { fail: 0, not_applicable: 0, pass: 0, unknown: 0 }
  const shown = { ...checks, waived: 0 }
  const open = { ...noFindings }
  let waivedTotal = 0
  for (const check of posture.checks) {
    if (check.enabled) {
      checks[presentStatus(check)] += 1
      shown[shownStatus(check)] += 1
    }
    for (const severity of severities) open[severity] += check.open[severity] ?? 0
    waivedTotal += total(check.waived)
  }
  return { checks, shown, open, openTotal: total(open), waivedTotal }
}

const hiddenProblem = `${hidden}: see the log, or "tenantwatch findings"`

/** Unless details are exposed, hides what persons wrote, and problems of own checks, which may quote an entity. */
export function shownPostures(postures: readonly TenantPosture[], exposeDetails: boolean): readonly TenantPosture[] {
  if (exposeDetails) return postures
  return postures.map((posture) => ({
    ...posture,
    waivers: posture.waivers.map((waiver) => withoutWaiverDetails(waiver)),
    holds: posture.holds.map((hold) =>
      hold.acceptedReason === undefined ? hold : { ...hold, acceptedReason: hidden },
    ),
    checks: posture.checks.map((view) => (view.problem === undefined ? view : { ...view, problem: hiddenProblem })),
  }))
}
