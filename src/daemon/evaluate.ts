import { Mutex } from 'async-mutex'
import { checks, checksOf } from '../checks/index.ts'
import type { Settings, Waiver } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import { configurationRecord } from '../evaluate/configuration-record.ts'
import type { EvaluatedTenant, TenantDataQuality } from '../evaluate/data-quality.ts'
import { evaluateTenant } from '../evaluate/evaluate-tenant.ts'
import { closeRemovedTenants } from '../evaluate/findings/close-findings.ts'
import { inputSnapshot } from '../evaluate/input-snapshot.ts'
import type { QueryBudget } from '../evaluate/query-budget.ts'
import { resultMemory } from '../evaluate/result-memory.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Mirror } from '../mirror/port.ts'
import { resolutions } from '../model/check-status.ts'
import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'
import { version } from '../model/process/version.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { isSkewed } from '../model/server-clock.ts'

export interface EvaluationOptions {
  /** Everything that is evaluated; absent = the built-in catalogue. */
  readonly checks?: readonly Check[]
  /** True when there may be checks that are not listed: the findings of such stay open. */
  readonly keepUnlisted?: boolean
  readonly onlyInputs?: readonly ResourceName[]
  /** All waivers of the configuration. */
  readonly waivers?: readonly Waiver[]
  /** For how long a check result is shown without being confirmed, in milliseconds. */
  readonly currentForMs?: number
  /** The server time of the tenant, in milliseconds since the epoch; null or absent = not confirmed in this process. */
  readonly serverTime?: number | null
  readonly signal?: AbortSignal
}

/** Evaluations, one after the other: a check result is a difference against what is stored. */
export interface Evaluator {
  /** Evaluates the checks that read one of these resources, or all. */
  evaluate(tenant: EvaluatedTenant, how?: EvaluationOptions): Promise<void>
  /** Puts into the record what is configured from now on. */
  inForce(settings: Settings): Promise<void>
  /** Closes the findings of tenants that the configuration no longer names. */
  closeRemoved(configured: readonly string[]): Promise<void>
}

export interface EvaluatorOptions {
  readonly mirror: Mirror
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
  /** What own checks may take of the time; absent = all that they want. */
  readonly queryBudget?: QueryBudget
}

export function createEvaluator({ mirror, metrics, clock, log, queryBudget }: EvaluatorOptions): Evaluator {
  const memory = resultMemory()
  const queue = new Mutex()
  return {
    evaluate: (tenant, { serverTime = null, ...how } = {}) =>
      queue.runExclusive(async () => {
        const now = clock.now()
        await mirror.noteTime(now)
        if (serverTime !== null && !isSkewed(serverTime - now)) await mirror.confirmTime(now)
        const outcomes = await evaluateTenant({
          store: mirror,
          tenant,
          checks,
          now,
          log,
          memory,
          ...(queryBudget && { queryBudget }),
          async onDataQuality(quality) {
            await storeSkews(mirror, quality)
            await mirror.noteTenantState(tenant.id, inputSnapshot(quality), now)
          },
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
    inForce: (settings) =>
      queue.runExclusive(async () => {
        const at = clock.now()
        await mirror.noteTime(at)
        await mirror.noteConfiguration(configurationRecord(settings, { checks: checksOf(settings), version, at }))
      }),
    closeRemoved: (configured) =>
      queue.runExclusive(async () => {
        memory.clear()
        await closeRemovedTenants(mirror, configured, clock.now())
      }),
  }
}

/** A stored skew is renewed only when it moved by more than this, in milliseconds. */
const skewStepMs = 5 * secondMs

/** Stores what a jump of the local clock made of the skew, for other processes and the one after this. */
async function storeSkews(mirror: Mirror, { tenant, resources }: TenantDataQuality): Promise<void> {
  for (const [resource, { stored, skewMs }] of resources) {
    const { serverTime = null, serverTimeAt = null } = stored?.state ?? {}
    if (skewMs === null || serverTime === null || serverTimeAt === null) continue
    if (Math.abs(serverTime - serverTimeAt - skewMs) <= skewStepMs) continue
    await mirror.noteSync(tenant.id, resource, { serverTimeAt: Math.round(serverTime - skewMs) })
  }
}
