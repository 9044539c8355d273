import type { Clock } from '../model/clock.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'

/** Tenants whose evaluations fail, with the monotonic time of the first failure. */
export interface FailedEvaluations {
  /** Logs the first failure of a tenant. */
  note(tenant: string, error: unknown): void
  /** The same without a log line: the caller logs the reason. */
  missed(tenants: Iterable<string>): void
  ended(tenant: string): void
  /** True when the evaluations of a tenant have failed for `toleratedMs`. */
  hasLasted(tenant: string): boolean
  /** In milliseconds. */
  toleratedMs: number
}

export function failedEvaluations(clock: Clock, log: Log): FailedEvaluations {
  const since = new Map<string, number>()
  return {
    toleratedMs: Number.POSITIVE_INFINITY,
    note(tenant, error) {
      if (since.has(tenant) || reasonOf(error) === 'aborted') return
      since.set(tenant, clock.monotonic())
      const hint = error instanceof SyncError ? error.hint : undefined
      log.warn(
        { tenant, detail: String(error), hint },
        'Results of checks cannot be stored; if the next evaluation cannot store them either, the checks become unknown',
      )
    },
    missed(tenants) {
      for (const tenant of tenants) if (!since.has(tenant)) since.set(tenant, clock.monotonic())
    },
    ended: (tenant) => void since.delete(tenant),
    hasLasted(tenant) {
      const began = since.get(tenant)
      return began !== undefined && clock.monotonic() - began >= this.toleratedMs
    },
  }
}
