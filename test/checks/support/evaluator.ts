import { expect, it } from 'vitest'
import type { Check, CheckContext, Evaluator, Failure, Outcome } from '../../../src/evaluate/check.ts'
import { CheckTally } from '../../../src/evaluate/check-tally.ts'
import type { AcceptedState } from '../../../src/evaluate/decisions.ts'
import { readPass } from '../../../src/evaluate/evaluate-tenant.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { MirrorRecord } from '../../../src/store/records/query.ts'
import { now } from './facts.ts'
import { type Past, type Records, readerOf } from './records.ts'

export interface EvaluationOptions extends Past {
  readonly options?: Record<string, unknown>
  readonly at?: number
  readonly incomplete?: readonly ResourceName[]
  readonly rolesReadAt?: number
  readonly rolesFirstReadAt?: number
  readonly knownStates?: readonly string[]
  readonly knownStatuses?: readonly (string | null)[]
  /** Options of other checks, by id. */
  readonly others?: Readonly<Record<string, Record<string, unknown>>>
  readonly ownClientId?: string
  /** Accepted states by entity; null = the first ones are not kept yet. */
  readonly accepted?: Readonly<Record<string, Partial<AcceptedState>>> | null
}

/** Evaluates these records and gathers the failures, which must say whom they are about without a name. */
export async function evaluator(check: Check, records: Records, evaluation: EvaluationOptions = {}) {
  const reader = readerOf(records, evaluation)
  const outcomes: [string, Outcome][] = []
  const needed = new Map<ResourceName, readonly MirrorRecord[]>()
  for (const resource of check.needs) needed.set(resource, (await Array.fromAsync(reader.select(resource))).flat())
  const context = contextOf(evaluation, needed)
  const rule = check.ruleOf(evaluation.options ?? {}, context)
  const tally = new CheckTally({ check, severity: null, rule, open: new Map(), isFrozen: false })
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
  const failures = outcomes.flatMap(([entityId, outcome]) => {
    if (outcome.kind !== 'fails') return []
    const { severity, message, evidence } = outcome
    return [{ entityId, severity, message, evidence }]
  })
  assertIdentified(check, failures)
  const { population, notEvaluated } = tally
  // A check without entities applies, as far as its records tell.
  const applicable = population === 0 || tally.isApplicable
  /** What an open finding about the entity would meet: its resolution, or why it stays open. */
  const scope = (entityId: string) => scopeOf(outcomes.find(([id]) => id === entityId)?.[1])
  return { applicable, population, notEvaluated, failures, scope }
}

function assertIdentified(check: Check, failures: readonly Failure[]): void {
  for (const { evidence } of isIdentified(check) ? failures : []) {
    const digest = check.evaluates === 'users' ? ['emailDigest'] : []
    expect(Object.keys(evidence['identity'] ?? {}), 'evidence lacks identityOf').toEqual(['createdAt', ...digest])
  }
  if (check.evaluates === 'users') expect(JSON.stringify(failures)).not.toMatch(/Ada|Lovelace|example\.com/)
}

function scopeOf(outcome: Outcome | undefined): string {
  if (outcome?.kind === 'ok' && outcome.acceptedAt !== undefined) return 'accepted'
  if (outcome?.kind === 'ok' && outcome.resolution === 'not_applicable') return 'not_applicable'
  if (outcome?.kind === 'not_applicable') return 'not_applicable'
  return outcome?.kind === 'not_evaluated' ? 'not_evaluated' : 'evaluated'
}

export function contextOf(
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
    readInFullBy: () => now,
    firstReadInFullAt: () => evaluation.rolesFirstReadAt ?? 0,
    accepted: acceptedStates(evaluation.accepted),
    needed: (resource) => needed.get(resource) ?? [],
    changesOfNeeded: (resource) => evaluation.changes?.filter((change) => change.resource === resource) ?? [],
  }
}

/** True when the evidence of a check must say whom it is about, because a waiver accepts the identity, too. */
function isIdentified({ evaluates, entity }: Check): boolean {
  return entity.isRecord && (evaluates === 'users' || evaluates === 'api-clients')
}

function acceptedStates(accepted: EvaluationOptions['accepted'] = null): ReadonlyMap<string, AcceptedState> | null {
  if (accepted === null) return null
  const states = Object.entries(accepted)
  return new Map(
    states.map(([entityId, state]) => [entityId, { entityId, state: null, at: now, reason: null, ...state }]),
  )
}

interface Expected extends EvaluationOptions {
  readonly population?: number
  /** Default 0. */
  readonly notEvaluated?: number
  readonly isApplicable?: boolean
  /** By entity. */
  readonly scope?: Readonly<Record<string, string>>
  /** Facts among the evidence of the first finding. */
  readonly evidence?: Readonly<Record<string, unknown>>
  /** Of the first finding. */
  readonly message?: string | RegExp
}

/** What is special, the records, the findings as `entity severity`, and what else is given or expected. */
export type Row = readonly [what: string, records: Records, findings: readonly string[], more?: Expected]

/** A test for each row. */
export function itFinds(check: Check, rows: readonly Row[]): void {
  it.for(rows)('finds of %s what it should', async ([, records, findings, more = {}]) => {
    const { population, notEvaluated = 0, isApplicable, scope = {}, evidence, message, ...evaluation } = more
    const result = await evaluator(check, records, evaluation)
    const { failures } = result
    expect(failures.map(({ entityId, severity }) => `${entityId} ${severity}`)).toEqual(findings)
    expect(result.notEvaluated).toBe(notEvaluated)
    if (population !== undefined) expect(result.population).toBe(population)
    if (isApplicable !== undefined) expect(result.applicable).toBe(isApplicable)
    expect(Object.fromEntries(Object.keys(scope).map((id) => [id, result.scope(id)]))).toEqual(scope)
    if (evidence !== undefined) expect(failures[0]?.evidence).toMatchObject(evidence)
    if (message !== undefined) expect(failures[0]?.message).toMatch(message)
    const odd = await evaluator(check, records, { ...evaluation, odd: true })
    expect(odd.failures.length + odd.notEvaluated, 'passes by a field that is not strict').toBeGreaterThanOrEqual(
      failures.length,
    )
  })
}
