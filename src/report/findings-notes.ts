import { total } from '../evaluate/findings/split-findings.ts'
import type { Breadth, CheckView, TenantPosture, WaiverState } from '../model/posture.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'

/** Waivers that need a review: expired, lapsed, orphaned or too broad ones. */
export function waiverNotes(postures: readonly TenantPosture[]): readonly string[] {
  return postures.flatMap(({ tenant, waivers }) =>
    waivers.flatMap(({ id, owner, state, covered, lapsed, breadth }) => {
      const problems = [
        ...(state === 'active' ? [] : [stateWords[state]]),
        ...(lapsed > 0
          ? [`${plural(lapsed, 'finding')} changed since ${lapsed === 1 ? 'it was' : 'they were'} accepted`]
          : []),
        ...breadth.map((way) => breadthWords[way]),
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

const breadthWords = {
  entities: 'covers many entities',
  later: 'covers findings that were opened after it was agreed',
  moreSevere: 'covers findings that are more severe than when they were accepted',
} as const satisfies Record<Breadth, string>

/** An empty list would look like no finding at all. */
export function waivedLine({ tenant, checks }: TenantPosture): readonly string[] {
  const waived = checks.reduce((sum, check) => sum + total(check.waived), 0)
  return waived === 0
    ? []
    : [`${tenant}: ${plural(waived, 'open finding')} waived; --all lists ${waived === 1 ? 'it' : 'them'}`]
}

/** One line for each tenant that has the wanted check switched off. */
export function offLines({ tenant, checks }: TenantPosture, wanted: string | undefined): readonly string[] {
  const off = checks.filter(({ check, enabled }) => check === wanted && !enabled)
  return off.map(({ check }) => `${tenant}: ${check} is switched off in the configuration and not evaluated`)
}

/** One line per tenant with its unknown checks, so that an empty list does not look like a pass. */
export function unevaluatedLines(postures: readonly TenantPosture[]): readonly string[] {
  return postures.flatMap(({ tenant, checks }) => {
    const unknown = checks.filter(({ enabled, status }) => enabled && status === 'unknown')
    if (unknown.length === 0) return []
    const problems = unknown.flatMap(({ check, problem }) =>
      problem === undefined ? [] : [`  ${check}: ${printable(problem)}`],
    )
    return [
      `${tenant}: ${unknown.length} of ${checks.length} checks cannot be evaluated${byReason(unknown)}`,
      ...problems,
    ]
  })
}

/** Each reason once, also where it concerns every check. */
function byReason(unknown: readonly Pick<CheckView, 'check' | 'reason'>[]): string {
  const reasons = [...Map.groupBy(unknown, ({ reason }) => reason ?? 'never')]
  const named = reasons.map(([reason, same]) => {
    return { reason, count: same.length, names: same.map(({ check }) => check).join(', ') }
  })
  const [first, ...others] = named
  if (first !== undefined && others.length === 0 && first.count > 1) return ` (${first.reason}): ${first.names}`
  const parts = named.map(({ reason, count, names }) =>
    count === 1 ? `${names} (${reason})` : `${count} (${reason}): ${names}`,
  )
  return `: ${parts.join('; ')}`
}
