import { checks } from '../checks/index.ts'
import { closeRemovedTenants } from '../evaluate/close-findings.ts'
import { evaluateTenant } from '../evaluate/evaluate-tenant.ts'
import type { JudgedTenant } from '../evaluate/tenant-trust.ts'
import { verdictMemory } from '../evaluate/verdict-memory.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Mirror } from '../mirror/port.ts'
import { resolutions } from '../model/check-status.ts'
import type { Clock } from '../model/clock.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'

export interface Judging {
  readonly onlyInputs?: readonly ResourceName[]
  readonly signal?: AbortSignal
}

/** Evaluations, one after the other: a verdict is a difference against what is stored. */
export interface Judge {
  /** Judges the checks that read one of these resources, or all. */
  evaluate(tenant: JudgedTenant, how?: Judging): Promise<void>
  /** Closes the findings of tenants that the configuration no longer names. */
  closeRemoved(configured: readonly string[]): Promise<void>
}

export interface JudgeOptions {
  readonly mirror: Mirror
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

export function createJudge({ mirror, metrics, clock, log }: JudgeOptions): Judge {
  const memory = verdictMemory()
  let last: Promise<unknown> = Promise.resolve()
  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  return {
    evaluate: (tenant, how = {}) =>
      queued(async () => {
        const outcomes = await evaluateTenant({
          store: mirror,
          tenant,
          checks,
          now: clock.now(),
          log,
          memory,
          ...how,
        })
        for (const { check, opened, resolved } of outcomes) {
          metrics.findingsOpened(tenant.settings.name, check, opened)
          for (const resolution of resolutions) {
            const count = resolved[resolution] ?? 0
            if (count > 0) metrics.findingsResolved(tenant.settings.name, check, resolution, count)
          }
        }
      }),
    closeRemoved: (configured) =>
      queued(async () => {
        memory.clear()
        await closeRemovedTenants(mirror, configured, clock.now())
      }),
  }
}
