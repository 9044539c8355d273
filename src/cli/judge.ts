import { checks } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { closeRemovedTenants } from '../evaluate/close-findings.ts'
import { evaluateTenant } from '../evaluate/evaluate-tenant.ts'
import type { JudgedTenant } from '../evaluate/tenant-trust.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Mirror } from '../mirror/port.ts'
import { resolutions } from '../model/check-status.ts'
import type { Clock } from '../model/clock.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'

/** Evaluations, one after the other: a verdict is a difference against what is stored. */
export interface Judge {
  /** Judges the checks that read one of these resources, or all. */
  evaluate(tenant: JudgedTenant, onlyInputs?: readonly ResourceName[]): Promise<void>
  /** Closes the findings of tenants that the configuration no longer names. */
  closeRemoved(): Promise<void>
}

export interface JudgeOptions {
  readonly mirror: Mirror
  readonly settings: Settings
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

export function createJudge({ mirror, settings, metrics, clock, log }: JudgeOptions): Judge {
  let last: Promise<unknown> = Promise.resolve()
  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  return {
    evaluate: (tenant, onlyInputs) =>
      queued(async () => {
        const filter = onlyInputs === undefined ? {} : { onlyInputs }
        const outcomes = await evaluateTenant({ store: mirror, tenant, checks, now: clock.now(), log, ...filter })
        for (const { check, opened, resolved } of outcomes) {
          metrics.findingsOpened(tenant.settings.name, check, opened)
          for (const resolution of resolutions) {
            const count = resolved[resolution] ?? 0
            if (count > 0) metrics.findingsResolved(tenant.settings.name, check, resolution, count)
          }
        }
      }),
    closeRemoved: () =>
      queued(async () => {
        const names = settings.tenants.map(({ name }) => name)
        await closeRemovedTenants(mirror, names, clock.now())
      }),
  }
}
