import type { DecidedStatus, Resolution } from '../model/check-status.ts'
import type { Severity } from '../model/severity.ts'
import type { CheckResult, CheckStateRow } from '../store/port.ts'

/** Most findings of one check that an outcome names. */
export const mostNamed = 10

export interface FindingTransition {
  readonly fingerprint: string
  readonly kind: 'opened' | 'reopened' | 'resolved'
  readonly severity: Severity
  readonly resolution: Resolution | null
}

/** What an evaluation changed about a check. */
export interface CheckOutcome extends DecidedStatus {
  readonly check: string
  /** First instant at which time alone changes the result, in milliseconds since the epoch; null = never. */
  readonly changesAt: number | null
  readonly opened: number
  readonly resolved: Readonly<Partial<Record<Resolution, number>>>
  /** The first of them. */
  readonly transitions: readonly FindingTransition[]
  /** The first findings that count again, because a waiver lapsed. */
  readonly lapsed: readonly { readonly fingerprint: string; readonly waiver: string }[]
}

/** The outcome of an evaluation that gives the stored result again. */
export function repeatedOutcome({ check, status, reason, changesAt }: CheckStateRow): CheckOutcome {
  return { check, status, reason, changesAt, opened: 0, resolved: {}, transitions: [], lapsed: [] }
}

export function outcomeOf(result: CheckResult): CheckOutcome {
  const { check, status, reason, changesAt, written, waivers } = result
  const transitions = [...transitionsOf(result)]
  const resolved: Record<string, number> = {}
  for (const { resolution } of transitions)
    if (resolution !== null) resolved[resolution] = (resolved[resolution] ?? 0) + 1
  return {
    check,
    status,
    reason,
    opened: written.filter(({ kind }) => kind !== 'changed').length,
    resolved,
    changesAt,
    transitions: transitions.slice(0, mostNamed),
    lapsed: waivers.lapsed.slice(0, mostNamed),
  }
}

function* transitionsOf({ written, resolved }: CheckResult): Generator<FindingTransition> {
  for (const { fingerprint, severity, kind, replacesOpen } of written) {
    if (replacesOpen) yield { fingerprint, kind: 'resolved', severity, resolution: 'entity_removed' }
    if (kind !== 'changed')
      yield { fingerprint, kind: kind === 'replaced' ? 'opened' : kind, severity, resolution: null }
  }
  for (const { fingerprint, severity, resolution } of resolved)
    yield { fingerprint, kind: 'resolved', severity, resolution }
}
