import type { CheckView, HoldView, TenantPosture, WaiverState } from '../model/posture.ts'
import { reasonInWords } from '../model/reason-words.ts'
import { isAtLeast, type Severity, severities } from '../model/severity.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'

/** Waivers that need a review: expired, lapsed or orphaned ones. */
export function waiverNotes(
  postures: readonly TenantPosture[],
  wanted: readonly Severity[] = severities,
): readonly string[] {
  return postures.flatMap(({ tenant, waivers, checks }) =>
    waivers
      .filter(({ check }) =>
        checks.some((one) => one.check === check && one.severities.some((severity) => wanted.includes(severity))),
      )
      .flatMap(({ id, owner, state, covered, lapsed }) => {
        const problems = [
          ...(state === 'active' ? [] : [stateWords[state]]),
          ...(lapsed > 0
            ? [`${plural(lapsed, 'finding')} changed since ${lapsed === 1 ? 'it was' : 'they were'} accepted`]
            : []),
        ]
        const covers = covered > 0 ? `, covers ${covered}` : ''
        return problems.length === 0
          ? []
          : [printable(`${tenant}: waiver ${id} (owner ${owner}${covers}): ${problems.join('; ')}`)]
      }),
  )
}

const stateWords = {
  expired: 'has expired',
  lapsed: 'has lapsed',
  orphaned: 'covers no finding (orphaned)',
} as const satisfies Record<Exclude<WaiverState, 'active'>, string>

/** Counts waived findings, because an empty list would look as if there were none. */
export function waivedLine(
  { tenant, checks }: TenantPosture,
  wanted: readonly Severity[] = severities,
): readonly string[] {
  const counts = checks.flatMap((check) => wanted.map((severity) => check.waived[severity] ?? 0))
  const waived = counts.reduce((sum, count) => sum + count, 0)
  return waived === 0
    ? []
    : [`${tenant}: ${plural(waived, 'open finding')} waived; --all lists ${waived === 1 ? 'it' : 'them'}`]
}

/** One line for each tenant that has the wanted check switched off. */
export function offLines({ tenant, checks }: TenantPosture, wanted: string | undefined): readonly string[] {
  const off = checks.filter(({ check, enabled }) => check === wanted && !enabled)
  return off.map(({ check }) => `${tenant}: ${check} is switched off in the configuration and not evaluated`)
}

/** One line for each tenant to which the wanted check does not apply: an empty list would look like a pass. */
export function inapplicableLines({ tenant, checks }: TenantPosture, wanted: string | undefined): readonly string[] {
  const found = checks.filter(
    ({ check, enabled, status }) => check === wanted && enabled && status === 'not_applicable',
  )
  return found.map(({ check }) => `${tenant}: ${check} is not applicable, so it has no open findings`)
}

/** A command to copy, from the words after the program's name. */
export type Next = (words: string) => string

/** One line for each hold. */
export function heldLines(postures: readonly TenantPosture[], next: Next): readonly string[] {
  return postures.flatMap(({ tenant, holds }) =>
    holds.map((hold) => holdLine(tenant, hold, `; see "${next('accept')}"`)),
  )
}

/** @param ending text after the cause of the hold. */
export function holdLine(tenant: string, { id, resource, message }: HoldView, ending: string): string {
  return printable(`${tenant} ${resource}: on hold ${id}: ${message}${ending}`)
}

/** Why failed runs, holds and unknown checks make `--fail-on` exit with 3; null when they do not. */
export function failedCause(
  postures: readonly TenantPosture[],
  failed: readonly { readonly tenant: string; readonly resource: string }[],
): string | null {
  const causes = postures.flatMap(({ tenant, holds, checks }) => {
    const unknown = checks.filter(isUnknown).length
    return [
      ...holds.map(({ resource }) => `${resource === 'all' ? tenant : `${tenant} ${resource}`} is on hold`),
      ...(unknown === 0 ? [] : [`${tenant} has ${plural(unknown, 'unknown check')}`]),
    ]
  })
  const isHeld = (run: { readonly tenant: string; readonly resource: string }) =>
    postures.some(
      ({ tenant, holds }) =>
        tenant === run.tenant && holds.some(({ resource }) => resource === 'all' || resource === run.resource),
    )
  const runs = Map.groupBy(
    failed.filter((run) => !isHeld(run)),
    ({ tenant }) => tenant,
  )
  causes.push(...[...runs].map(([tenant, { length }]) => `${tenant} has ${plural(length, 'failed run')}`))
  return causes.length === 0 ? null : causes.join(', ')
}

/** Why open findings make `--fail-on` exit with 1; null when there are none of at least that severity. */
export function foundCause(postures: readonly TenantPosture[], least: Severity): string | null {
  const counted = severities.filter((severity) => isAtLeast(severity, least))
  const causes = postures.flatMap(({ tenant, checks }) => {
    const open = checks.filter(({ enabled }) => enabled).flatMap((check) => counted.map((one) => check.open[one] ?? 0))
    const count = open.reduce((sum, one) => sum + one, 0)
    return count === 0 ? [] : [`${tenant} has ${plural(count, 'open finding')} at or above ${least}`]
  })
  return causes.length === 0 ? null : causes.join(', ')
}

/** One line per tenant with its unknown checks, so that an empty list does not look like a pass. */
export function unevaluatedLines(
  postures: readonly TenantPosture[],
  next: Next = (words) => `tenantwatch ${words}`,
): readonly string[] {
  return postures.flatMap((posture) => {
    const { tenant, checks } = posture
    const unknown = checks.filter(isUnknown)
    if (unknown.length === 0) return []
    const shared = sharedCause(posture, unknown, next)
    if (shared !== null) return [`${tenant}: no check can be evaluated: ${shared}`]
    const problems = unknown.flatMap(({ check, problem }) =>
      problem === undefined ? [] : [`  ${check}: ${printable(problem)}`],
    )
    const what = checks.length === 1 ? 'the check' : `${unknown.length} of ${checks.length} checks`
    return [`${tenant}: ${what} cannot be evaluated${byReason(unknown)}`, ...problems]
  })
}

const isUnknown = ({ enabled, status }: CheckView) => enabled && status === 'unknown'

/** Null unless one cause concerns every applicable check. */
function sharedCause({ checks, holds }: TenantPosture, unknown: readonly CheckView[], next: Next): string | null {
  const applicable = checks.filter(({ enabled, status }) => enabled && status !== 'not_applicable')
  const [first] = unknown
  const { reason } = first ?? {}
  if (unknown.length < Math.max(2, applicable.length)) return null
  if (unknown.some((one) => one.reason !== reason || one.problem !== undefined)) return null
  const isHeld = reason === 'tenant_changed' && holds.some(({ resource }) => resource === 'all')
  if (isHeld) return `the tenant is on hold; see "${next('accept')}"`
  return `${sharedWords.get(reason) ?? reason ?? 'never'}; see "${next('doctor')}"`
}

const sharedWords: ReadonlyMap<CheckView['reason'] | undefined, string> = new Map([
  ['never', 'nothing has been completely read'],
  ['stale', 'the data is stale'],
  ['unauthorized', 'the tenant refuses the token'],
])

/** Unknown checks grouped by reason. */
function byReason(unknown: readonly Pick<CheckView, 'check' | 'reason'>[]): string {
  const reasons = [...Map.groupBy(unknown, ({ reason }) => reason ?? 'never')]
  const named = reasons.map(([reason, same]) => {
    return { reason: reasonInWords(reason), count: same.length, names: same.map(({ check }) => check).join(', ') }
  })
  const [first, ...others] = named
  if (first !== undefined && others.length === 0 && first.count > 1) return ` (${first.reason}): ${first.names}`
  const parts = named.map(({ reason, count, names }) =>
    count === 1 ? `${names} (${reason})` : `${count} (${reason}): ${names}`,
  )
  return `: ${parts.join('; ')}`
}
