import { expect } from 'vitest'
import type { Check, Failure } from '../../../src/evaluate/check.ts'
import { parseIsoDate } from '../../../src/model/dates.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { AcceptedState } from '../../../src/store/port.ts'
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

export interface Result {
  readonly applicable: boolean
  readonly population: number
  readonly notEvaluated: number
  readonly notEvaluatedFor: string
  readonly unevaluated?: readonly string[]
  readonly failures: readonly Failure[]
  readonly scope: (entityId: string, evidence?: Failure['evidence']) => Promise<string>
  readonly rule: string
}

/** Fills a mirror, evaluates it and gathers the failures, which must say whom they are about. */
export async function evaluator(
  check: Check,
  fill: (mirror: FakeMirror) => void,
  evaluation: EvaluationOptions = {},
): Promise<Result> {
  const mirror = fakeMirror(now)
  fill(mirror)
  const evaluated = await check.evaluator({
    reader: mirror.store.records(1),
    options: evaluation.options ?? {},
    now: evaluation.at ?? now,
    context: {
      knownUserStates: evaluation.knownStates ?? ['Active', 'Invited'],
      knownDocumentStatuses: evaluation.knownStatuses ?? ['Completed', 'Processing'],
      optionsOf: (id) => evaluation.others?.[id] ?? {},
      incomplete: new Set(evaluation.incomplete),
      readInFullAt: () => evaluation.rolesReadAt ?? evaluation.at ?? now,
      ownClientId: evaluation.ownClientId ?? null,
      accepted: async () => acceptedStates(evaluation.accepted),
    },
  })
  const failures: Failure[] = []
  for await (const batch of evaluated.failures) failures.push(...batch)
  for (const { evidence } of isIdentified(check) ? failures : []) {
    const digest = check.evaluates === 'users' ? ['emailDigest'] : []
    expect(Object.keys(evidence['identity'] ?? {}), 'evidence lacks identityOf').toEqual(['createdAt', ...digest])
  }
  return { ...evaluated, failures, scope: (entityId, evidence = {}) => evaluated.scope(entityId, evidence) }
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
