import type { Row } from './evaluator.ts'
import { type role, user } from './facts.ts'

/** Makes rows of one user whose role decides. */
export const userRows =
  (subject: string, detailReadAt: number, always: object = {}) =>
  (
    what: string,
    fields: Record<string, unknown>,
    roles: readonly ReturnType<typeof role>[],
    findings: readonly string[],
    more: object = {},
  ): Row => [
    `${subject} with ${what}`,
    { users: [[user(fields), { detailReadAt }]], roles },
    findings,
    { population: 1, scope: { 1: 'evaluated' }, ...always, ...more },
  ]

export const unclear = { notEvaluated: 1, scope: { 1: 'not_evaluated' } }
