import { Mutex } from 'async-mutex'
import { waitFor } from '../api/deadline.ts'
import { checks, checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import type { EvaluateTenant } from '../evaluate/check-run.ts'
import { configurationRecord } from '../evaluate/configuration-record.ts'
import type { EvaluatedTenant, TenantDataQuality } from '../evaluate/data-quality.ts'
import { evaluateTenant } from '../evaluate/evaluate-tenant.ts'
import { closeTenants } from '../evaluate/findings/close-findings.ts'
import type { OwnQueries } from '../evaluate/own-query.ts'
import { inputSnapshot } from '../evaluate/past-store.ts'
import type { QueryBudget } from '../evaluate/query-budget.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import { reasonOf } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { version } from '../model/process/version.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { isSkewed } from '../model/server-clock.ts'
import type { Mirror } from '../store/port.ts'
import type { TenantStores } from '../store/tenant-stores.ts'
import { logFindings } from './finding-log.ts'
import { repeatedValues } from './repeated-values.ts'
import { sharedTenants } from './shared-tenants.ts'

type Forwarded = 'beingRead' | 'currentForMs' | 'keepUnlisted' | 'onlyInputs' | 'signal' | 'waivers'

export interface EvaluationOptions extends Pick<EvaluateTenant, Forwarded> {
  readonly checks?: readonly Check[]
  /** A resource of which a full sync has just succeeded. */
  readonly readInFull?: ResourceName | undefined
  /** In milliseconds since the epoch; null or absent = not confirmed in this process. */
  readonly serverTime?: number | null
}

/** Evaluations are serialized, because each compares its results with stored ones. */
export interface Evaluator {
  /** From the next evaluation on. */
  configure(settings: Settings): void
  /**
   * Evaluates the checks that read one of these resources, or all. Resolves with the first instant until which the
   * same records give the same results, in milliseconds since the epoch; null when no threshold is near.
   *
   * @throws SyncError `aborted`, without waiting for its turn, once the signal is aborted.
   */
  evaluate(tenant: EvaluatedTenant, how?: EvaluationOptions): Promise<number | null>
  /**
   * Records the configuration and ends the findings of tenants that were removed from it, if that is due. Each evaluation
   * begins with it.
   */
  settle(signal?: AbortSignal): Promise<void>
  /** The next evaluation reads again which configured tenants are the same one: a run may have just revealed it. */
  forgetShared(): void
  /** Resolves when no evaluation runs or waits. */
  ended(): Promise<void>
}

export interface EvaluatorOptions {
  readonly stores: TenantStores
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
  readonly ownQueries?: OwnQueries
  readonly queryBudget?: QueryBudget
}

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { stores, metrics, clock, log, ownQueries, queryBudget } = options
  let shared = sharedTenants([], clock)
  const logShared = sharedLog(log)
  const queue = new Mutex()
  /** The configuration in force that is not recorded yet. */
  let due: Settings | null = null
  /** Null when another replica took the tenant meanwhile. */
  const evaluated = async (
    store: Mirror,
    tenant: EvaluatedTenant,
    now: number,
    { serverTime = null, readInFull: _, ...how }: EvaluationOptions,
  ) => {
    const common = stores.shared()
    try {
      await common?.noteTime(now)
      if (serverTime !== null && !isSkewed(serverTime - now)) await common?.confirmTime(now)
      const { name } = tenant.settings
      const sharedWith = (await shared.read(store)).get(name)
      logShared(name, sharedWith)
      return await evaluateTenant({
        store,
        tenant: { ...tenant, ...(sharedWith !== undefined && { sharedWith }) },
        checks,
        now,
        log,
        ...(ownQueries && { ownQueries }),
        ...(queryBudget && { queryBudget }),
        async onDataQuality(quality) {
          await storeSkews(store, quality)
          await store.noteTenantState(tenant.id, inputSnapshot(quality), now)
        },
        ...how,
      })
    } catch (error) {
      if (reasonOf(error) === 'aborted' && how.signal?.aborted !== true) return null
      throw error
    }
  }
  const repeatsOf = repeatedValues({ metrics, log })
  const settle = async () => {
    if (due === null) return
    const settings = due
    const at = clock.now()
    const common = stores.shared()
    await common?.noteTime(at)
    const given = { checks: checksOf(settings), version, at }
    await common?.noteConfiguration(await configurationRecord(settings, given))
    const names = settings.tenants.map(({ name }) => name)
    if (common !== null) await closeTenants(common, await stores.removed(names), at)
    if (due === settings) due = null
  }
  return {
    configure(settings) {
      // A copy, because the same settings may become due again while they are recorded.
      due = { ...settings }
      shared = sharedTenants(
        settings.tenants.map(({ name }) => name),
        clock,
      )
    },
    evaluate: (tenant, how = {}) =>
      inTurn(queue, how.signal, async () => {
        await settle()
        const store = stores.of(tenant.settings.name)
        // Another replica owns the tenant.
        if (store === null) return null
        const at = clock.now()
        const outcomes = await evaluated(store, tenant, at, how)
        if (outcomes === null) return null
        const { id, settings } = tenant
        for (const outcome of outcomes) {
          const { check, opened } = outcome
          const resolved = Object.values(outcome.resolved).reduce((sum, count) => sum + count, 0)
          metrics.findingsOpened(settings.name, check, opened)
          metrics.findingsResolved(settings.name, check, resolved)
          await logFindings(store, log, { id, name: settings.name }, outcome, resolved)
        }
        if (how.readInFull !== undefined) await repeatsOf(store, tenant, how.readInFull)
        const ends = outcomes.flatMap(({ changesAt }) => changesAt ?? [])
        return ends.length === 0 ? null : Math.min(...ends) - 1
      }),
    settle: (signal) => inTurn(queue, signal, settle),
    forgetShared: () => shared.forget(),
    ended: () => queue.waitForUnlock(),
  }
}

/** Logs when two configured tenants turn out to be the same one, and when that ends. */
function sharedLog(log: Log): (tenant: string, sharedWith: string | undefined) => void {
  const shared = new Set<string>()
  return (tenant, sharedWith) => {
    if (shared.has(tenant) === (sharedWith !== undefined)) return
    if (sharedWith === undefined) {
      shared.delete(tenant)
      log.info({ tenant }, 'No other configured tenant has the data of this one any more')
    } else {
      shared.add(tenant)
      log.warn(
        { tenant, sharedWith },
        'Two configured tenants show the data of one tenant: correct the token of one; their checks are unknown until then',
      )
    }
  }
}

/** Waits for its turn until aborted: a tenant is given back after its own evaluations; others may take long. */
async function inTurn<T>(queue: Mutex, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const turn = queue.acquire()
  const release = await waitFor(turn, signal).catch((error: unknown) => {
    void turn.then((unused) => unused())
    throw error
  })
  try {
    return await work()
  } finally {
    release()
  }
}

/** A stored skew is updated when it changes by more than this, in milliseconds. */
const skewStepMs = 5 * secondMs

/** Stores the skew again after the local clock was set, for other processes and later ones. */
async function storeSkews(mirror: Mirror, { tenant, resources }: TenantDataQuality): Promise<void> {
  for (const [resource, { stored, skewMs }] of resources) {
    const { serverTime = null, serverTimeAt = null } = stored?.state ?? {}
    if (skewMs === null || serverTime === null || serverTimeAt === null) continue
    if (Math.abs(serverTime - serverTimeAt - skewMs) <= skewStepMs) continue
    await mirror.noteSync(tenant.id, resource, { serverTimeAt: Math.round(serverTime - skewMs) })
  }
}
