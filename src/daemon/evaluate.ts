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
import { resultMemory } from '../evaluate/result-memory.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import { reasonOf } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { memoizeWeakly } from '../model/memoize.ts'
import { version } from '../model/process/version.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { isSkewed } from '../model/server-clock.ts'
import type { Mirror } from '../store/port.ts'
import type { TenantStores } from '../store/tenant-stores.ts'
import { failedEvaluations } from './failed-evaluations.ts'
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
  /**
   * Evaluates the checks that read one of these resources, or all. Resolves with the first instant until which the
   * same records give the same results, in milliseconds since the epoch; null when no threshold is near.
   *
   * @throws SyncError `aborted`, without waiting for its turn, once the signal is aborted.
   */
  evaluate(tenant: EvaluatedTenant, how?: EvaluationOptions): Promise<number | null>
  /** Records that the preparation of an evaluation failed. Rejects with the error. */
  failed(tenant: string, error: unknown): Promise<never>
  /** The same for several tenants, without a log line; counts only reason `store`. @throws the error. */
  missed(tenants: Iterable<string>, error: unknown): never
  /** True when the tenant is this process's and its evaluations have failed for longer than is tolerated. */
  fails(tenant: string): boolean
  /** How long evaluations may fail, in milliseconds; without limit before the first call. */
  tolerateFailures(ms: number): void
  inForce(settings: Settings): Promise<void>
  /** The next evaluation reads again which configured tenants are the same one: a run may have just revealed it. */
  forgetShared(): void
  /** Ends the findings of tenants that were removed from the configuration. */
  closeRemoved(configured: readonly string[]): Promise<void>
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
  const emptyMemories = () => memoizeWeakly((_: Mirror) => resultMemory())
  let memoryOf = emptyMemories()
  let shared = sharedTenants([], clock)
  const logShared = sharedLog(log)
  const failures = failedEvaluations(clock, log)
  // Only the owner of a tenant reports failures of its evaluations.
  const fails = (tenant: string) => stores.of(tenant) !== null && failures.hasLasted(tenant)
  const queue = new Mutex()
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
      const outcomes = await evaluateTenant({
        store,
        tenant: { ...tenant, ...(sharedWith !== undefined && { sharedWith }) },
        checks,
        now,
        log,
        memory: memoryOf(store),
        ...(ownQueries && { ownQueries }),
        ...(queryBudget && { queryBudget }),
        async onDataQuality(quality) {
          await storeSkews(store, quality)
          await store.noteTenantState(tenant.id, inputSnapshot(quality), now)
        },
        ...how,
      })
      return outcomes
    } catch (error) {
      if (reasonOf(error) === 'aborted' && how.signal?.aborted !== true) return null
      failures.note(tenant.settings.name, error)
      throw error
    }
  }
  const repeatsOf = repeatedValues({ metrics, log })
  /** Makes stored passes unknown, because other processes do not see this one's failures. Rejects with the error. */
  const expirePasses = async (tenant: string, error: unknown, id?: number): Promise<never> => {
    // This write may fail, too.
    if (fails(tenant) && reasonOf(error) !== 'aborted') await expire(tenant, id).catch(() => {})
    throw error
  }
  const expire = async (tenant: string, known?: number) => {
    const store = stores.of(tenant)
    const id = known ?? (await store?.tenants())?.find(({ name }) => name === tenant)?.id
    if (store === null || id === undefined) return
    const states = await store.checkStates(id)
    try {
      await store.expirePasses(id)
    } finally {
      // An equal result in memory would only be confirmed, so the stored one would stay expired.
      for (const { check } of states) memoryOf(store).forget(id, check)
    }
  }
  return {
    evaluate: (tenant, how = {}) =>
      inTurn(queue, how.signal, async () => {
        const store = stores.of(tenant.settings.name)
        // Another replica owns the tenant.
        if (store === null) return null
        const at = clock.now()
        const outcomes = await evaluated(store, tenant, at, how)
        if (outcomes === null) return null
        // After a partial evaluation, stored results of other checks may still be outdated.
        if (how.onlyInputs === undefined) failures.ended(tenant.settings.name)
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
        // Outside of the queue, because it may wait for a lock.
      }).catch((error: unknown) => expirePasses(tenant.settings.name, error, tenant.id)),
    async failed(tenant, error) {
      failures.note(tenant, error)
      return expirePasses(tenant, error)
    },
    missed(tenants, error) {
      if (reasonOf(error) === 'store') failures.missed(tenants)
      throw error
    },
    fails,
    tolerateFailures(ms) {
      failures.toleratedMs = ms
    },
    inForce: (settings) =>
      queue.runExclusive(async () => {
        const at = clock.now()
        const common = stores.shared()
        const names = settings.tenants.map(({ name }) => name)
        shared = sharedTenants(names, clock)
        await common?.noteTime(at)
        const given = { checks: checksOf(settings), version, at }
        await common?.noteConfiguration(await configurationRecord(settings, given))
      }),
    forgetShared: () => shared.forget(),
    closeRemoved: (configured) =>
      queue.runExclusive(async () => {
        memoryOf = emptyMemories()
        const common = stores.shared()
        if (common !== null) await closeTenants(common, await stores.removed(configured), clock.now())
      }),
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
