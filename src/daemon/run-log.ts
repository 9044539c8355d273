import type { Log } from '../model/log.ts'
import type { Reason } from '../model/reasons.ts'
import type { RunResult } from '../model/run-result.ts'
import { hourMs } from '../model/time.ts'

/** A cause that lasts is logged again after this, in milliseconds. */
const repeatMs = hourMs

/** Reasons that concern one resource; all others concern the whole tenant. */
const ofOneResource: ReadonlySet<Reason> = new Set([
  'client_error',
  'internal',
  'invalid_cursor',
  'missing_permission',
  'protocol',
  'shrink_held',
  'suspect_empty',
  'too_large',
])

/** Logs runs: one line when a cause begins, however many runs of the tenant fail by it, and one when it ends. */
export interface RunLog {
  /** @param at in monotonic milliseconds. */
  ended(result: RunResult, at: number): void
}

export function createRunLog(log: Log): RunLog {
  /** By name of the run, the cause it fails by. */
  const failing = new Map<string, string>()
  const loggedAt = new Map<string, number>()
  const isOver = (cause: string) => ![...failing.values()].includes(cause)
  return {
    ended(result, at) {
      const { tenant, resource, mode, outcome, reason, message: detail, hint, counts, pages, durationMs } = result
      if (outcome === 'skipped' || reason === 'aborted') return
      const facts = { tenant, resource, mode, pages, ...counts, durationMs: Math.round(durationMs) }
      const run = `${tenant} ${resource} ${mode}`
      if (outcome === 'failure') {
        const cause = `${tenant} ${reason}${reason !== null && ofOneResource.has(reason) ? ` ${resource}` : ''}`
        const isNew = isOver(cause) || at - (loggedAt.get(cause) ?? at) >= repeatMs
        failing.set(run, cause)
        if (isNew) loggedAt.set(cause, at)
        log[isNew ? 'warn' : 'debug']({ ...facts, reason, detail, hint }, 'Run failed')
        return
      }
      log.debug(facts, 'Run succeeded')
      // A full sync contains what an incremental one would have read.
      const covered = mode === 'full' ? [run, `${tenant} ${resource} incremental`] : [run]
      const ended = new Set(covered.flatMap((name) => failing.get(name) ?? []))
      for (const name of covered) failing.delete(name)
      for (const cause of ended) {
        if (isOver(cause)) log.info({ tenant, resource, reason: cause.split(' ')[1] }, 'Runs succeed again')
      }
    },
  }
}
