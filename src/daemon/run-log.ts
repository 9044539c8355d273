import { hourMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RunResult } from '../sync/observer.ts'

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

interface Cause {
  readonly reason: Reason
  readonly failing: Set<string>
  loggedAt: number
}

/** Logs runs: one line when a cause begins, however many runs fail by it, one when it ends, and the first round. */
export interface RunLog {
  /** `enabled`: resources of the tenant; `at` in monotonic milliseconds. */
  ended(result: RunResult, enabled: readonly ResourceName[], at: number): void
}

export function createRunLog(log: Log): RunLog {
  const tenants = new Map<string, { readonly causes: Map<string, Cause>; first: Map<ResourceName, string> | null }>()

  function failed(causes: Map<string, Cause>, result: RunResult & { readonly reason: Reason }, at: number): void {
    const { resource, mode, reason, message: detail, hint } = result
    const run = `${resource} ${mode}`
    const key = ofOneResource.has(reason) ? `${reason} ${resource}` : reason
    for (const { failing } of causes.values()) failing.delete(run)
    const cause = causes.get(key) ?? { reason, failing: new Set(), loggedAt: Number.NEGATIVE_INFINITY }
    causes.set(key, cause)
    cause.failing.add(run)
    const write = at - cause.loggedAt >= repeatMs ? log.warn : log.debug
    if (write === log.warn) cause.loggedAt = at
    write({ ...factsOf(result), reason, detail, hint }, 'Run failed')
  }

  function succeeded(causes: Map<string, Cause>, { tenant, resource, mode }: RunResult): void {
    for (const [key, { reason, failing }] of causes) {
      // A full sync contains what an incremental one would have read.
      const covered = mode === 'full' && failing.delete(`${resource} incremental`)
      const failed = failing.delete(`${resource} ${mode}`) || covered
      if (failing.size > 0) continue
      causes.delete(key)
      if (failed) log.info({ tenant, resource, reason }, 'Runs succeed again')
    }
  }

  return {
    ended(result, enabled, at) {
      const { tenant, resource, outcome, reason } = result
      if (outcome === 'skipped' || reason === 'aborted') return
      const state = tenants.get(tenant) ?? { causes: new Map<string, Cause>(), first: new Map<ResourceName, string>() }
      tenants.set(tenant, state)
      if (outcome === 'failure') {
        failed(state.causes, { ...result, reason: reason ?? 'internal' }, at)
        return
      }
      log.debug(factsOf(result), 'Run succeeded')
      succeeded(state.causes, result)
      state.first?.set(resource, countsText(result.counts))
      if (state.first === null || enabled.some((name) => state.first?.has(name) === false)) return
      log.info({ tenant, ...Object.fromEntries(state.first) }, 'Every resource was synced since the start')
      state.first = null
    },
  }
}

function factsOf({ tenant, resource, mode, counts, pages, durationMs }: RunResult) {
  return { tenant, resource, mode, pages, ...counts, durationMs: Math.round(durationMs) }
}

/** As in the summary of `sync`: created, changed, removed, unchanged. */
export function countsText({ created, updated, removed, unchanged }: RunResult['counts']): string {
  return `+${created} ~${updated} -${removed} =${unchanged}`
}
