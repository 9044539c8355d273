import { expect } from 'vitest'
import type { Check, CheckContext, Evaluator, Failure, Outcome } from '../../../src/evaluate/check.ts'
import { CheckTally } from '../../../src/evaluate/check-tally.ts'
import type { AcceptedState } from '../../../src/evaluate/decisions.ts'
import { readPass } from '../../../src/evaluate/pass.ts'
import { parseIsoDate } from '../../../src/model/dates.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { MirrorRecord } from '../../../src/store/records/query.ts'
import { type FakeMirror, fakeMirror } from '../../evaluate/support/fake-mirror.ts'

/** The instant at which checks are tested: 2026-03-01 12:00 UTC. */
export const now = parseIsoDate('2026-03-01T12:00:00Z')?.ms ?? Number.NaN

export interface EvaluationOptions {
  readonly options?: Record<string, unknown>
  readonly at?: number
  readonly incomplete?: readonly ResourceName[]
  readonly rolesReadAt?: number
  readonly knownStates?: readonly string[]
  readonly knownStatuses?: readonly (string | null)[]
  /** Options of other checks, by id. */
  readonly others?: Readonly<Record<string, Record<string, unknown>>>
  readonly ownClientId?: string
  /** Accepted states by entity; null = the first ones are not kept yet. */
  readonly accepted?: Readonly<Record<string, Partial<AcceptedState>>> | null
}

export interface TestFailure extends Failure {
  readonly entityId: string
}

export interface Result {
  readonly applicable: boolean
  readonly population: number
  readonly notEvaluated: number
  readonly notEvaluatedFor: string
  readonly unevaluated: readonly string[]
  readonly failures: readonly TestFailure[]
  readonly until: number
  readonly rule: string
  /** What an open finding about the entity would meet: its resolution, or why it stays open. */
  readonly scope: (entityId: string, evidence?: Failure['evidence']) => Promise<string>
}

/** Fills a mirror, evaluates it and gathers the failures, which must say whom they are about. */
export async function evaluator(
  check: Check,
  fill: (mirror: FakeMirror) => void,
  evaluation: EvaluationOptions = {},
): Promise<Result> {
  const mirror = fakeMirror(now)
  fill(mirror)
  const outcomes: [string, Outcome][] = []
  const reader = mirror.store.records(1)
  const needed = new Map<ResourceName, readonly MirrorRecord[]>()
  for (const resource of check.needs) needed.set(resource, (await Array.fromAsync(reader.select(resource))).flat())
  const context = contextOf(evaluation, needed)
  const rule = check.ruleOf(evaluation.options ?? {}, context)
  const tallied = { check, severity: null, rule, open: new Map(), isFrozen: false }
  const tally = new CheckTally(tallied)
  const began = check.begin?.(evaluation.options ?? {}, context)
  if (began === undefined) throw new TypeError(`${check.id} evaluates no records`)
  const recording: Evaluator = {
    ...began,
    record(record, history) {
      const outcome = began.record(record, history)
      if (outcome !== null) outcomes.push([record.key, outcome])
      return outcome
    },
    end() {
      const ended = [...(began.end?.() ?? [])] as const
      outcomes.push(...ended.map(([id, outcome]): [string, Outcome] => [id, outcome]))
      return ended
    },
  }
  tally.evaluator = recording
  await readPass(reader, check.evaluates, { tallies: [tally], counting: null })
  if (tally.error !== null) throw tally.error
  const failures = outcomes.flatMap(([entityId, outcome]) =>
    outcome.kind === 'fails' ? [failureOf(entityId, outcome)] : [],
  )
  for (const { evidence } of isIdentified(check) ? failures : []) {
    const digest = check.evaluates === 'users' ? ['emailDigest'] : []
    expect(Object.keys(evidence['identity'] ?? {}), 'evidence lacks identityOf').toEqual(['createdAt', ...digest])
  }
  const { population, notEvaluated, notEvaluatedFor, unevaluated, until } = tally
  // A check without entities applies, as far as its records tell.
  const applicable = population === 0 || tally.isApplicable
  return {
    ...{ applicable, population, notEvaluated, notEvaluatedFor, unevaluated, failures, until, rule },
    scope: async (entityId, evidence = {}) => scopeOf(outcomes.find(([id]) => id === entityId)?.[1], evidence),
  }
}

function failureOf(
  entityId: string,
  { severity, message, evidence }: Outcome & { readonly kind: 'fails' },
): TestFailure {
  return { entityId, severity, message, evidence }
}

function scopeOf(outcome: Outcome | undefined, evidence: Failure['evidence']): string {
  if (outcome?.kind === 'ok' && outcome.resolution === 'rule_changed') return 'accepted'
  if (outcome?.kind === 'ok' && outcome.resolution === 'not_applicable') return 'not_applicable'
  if (outcome?.kind === 'not_applicable') return 'not_applicable'
  if (outcome?.kind !== 'not_evaluated') return 'evaluated'
  return outcome.accepts !== undefined && evidence[outcome.accepts] === true ? 'accepted' : 'not_evaluated'
}

function contextOf(
  evaluation: EvaluationOptions,
  needed: ReadonlyMap<ResourceName, readonly MirrorRecord[]>,
): CheckContext {
  return {
    knownUserStates: evaluation.knownStates ?? ['Active', 'Invited'],
    knownRoleStates: ['Active', 'Inactive'],
    knownDocumentStatuses: evaluation.knownStatuses ?? ['Completed', 'Processing'],
    optionsOf: (id) => evaluation.others?.[id] ?? {},
    ownClientId: evaluation.ownClientId ?? null,
    now: evaluation.at ?? now,
    incomplete: new Set(evaluation.incomplete),
    readInFullAt: () => evaluation.rolesReadAt ?? evaluation.at ?? now,
    accepted: acceptedStates(evaluation.accepted),
    needed: (resource) => needed.get(resource) ?? [],
  }
}

/** True when the evidence of a check must say whom it is about, because a waiver accepts the identity, too. */
export function isIdentified({ evaluates, entity }: Check): boolean {
  return entity.isRecord && (evaluates === 'users' || evaluates === 'api-clients')
}

function acceptedStates(accepted: EvaluationOptions['accepted'] = null): ReadonlyMap<string, AcceptedState> | null {
  if (accepted === null) return null
  const states = Object.entries(accepted)
  return new Map(
    states.map(([entityId, state]) => [entityId, { entityId, state: null, at: now, reason: null, ...state }]),
  )
}

/** `entityId severity` of each failure. */
export function brief(result: Result): string[] {
  return result.failures.map(({ entityId, severity }) => `${entityId} ${severity}`)
}

export const iso = (ms: number) => new Date(ms).toISOString()
