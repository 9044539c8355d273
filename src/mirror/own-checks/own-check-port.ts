import type { NoAnswer, OwnAnswer, OwnQuery } from './question.ts'

export type { NoAnswer, OwnAnswer, OwnQuery, Said } from './question.ts'

/** The side of checks that operators write. */
export interface OwnCheckStore {
  /**
   * Asks a query over the views of one tenant, whatever it is: it can write nothing, see nothing else and is ended when
   * it takes too much.
   *
   * @throws the signal's reason when aborted.
   */
  ask(tenantId: number, query: OwnQuery, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer>
  /** Keeps why an own check cannot be evaluated, or which entities another one could not evaluate; null when it could all. */
  noteProblem(tenantId: number, check: string, problem: string | null): Promise<void>
  /** What was noted of a tenant's checks, by check. */
  checkProblems(tenantId: number): Promise<ReadonlyMap<string, string>>
}
