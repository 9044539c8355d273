import { Mutex } from 'async-mutex'
import { waitFor } from '../api/deadline.ts'
import { checks, checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import { closeTenants } from '../evaluate/check-result.ts'
import type { EvaluateTenant } from '../evaluate/check-run.ts'
import { configurationRecord } from '../evaluate/configuration-record.ts'
import type { EvaluatedTenant, TenantDataQuality } from '../evaluate/data-quality.ts'
import { evaluateTenant } from '../evaluate/evaluate-tenant.ts'
import type { OwnQueries } from '../evaluate/own-query.ts'
import { inputSnapshot } from '../evaluate/past-store.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Resolution } from '../model/check-status.ts'
import type { Clock } from '../model/clock.ts'
import { reasonOf } from '../model/errors.ts'
import { shortFingerprint } from '../model/finding.ts'
import type { Log } from '../model/log.ts'
import { isSkewed } from '../model/server-clock.ts'
import type { Severity } from '../model/severity.ts'
import { type SharedBy, sharedTenants } from '../model/shared-records.ts'
import { minuteMs, secondMs } from '../model/time.ts'
import type { CheckResult, Mirror, NotedConfiguration } from '../store/port.ts'
import type { TenantStores } from '../store/tenant-stores.ts'

type Forwarded = 'beingRead' | 'currentForMs' | 'onlyInputs' | 'signal' | 'waivers'

export interface EvaluationOptions extends Pick<EvaluateTenant, Forwarded> {
  readonly checks?: readonly Check[]
  /** In milliseconds since the epoch; null or absent = not confirmed in this process. */
  readonly serverTime?: number | null
}

export interface EvaluatorOptions {
  readonly stores: TenantStores
  readonly metrics: Pick<Metrics, 'count'>
  readonly clock: Clock
  readonly log: Log
  readonly ownQueries?: OwnQueries
}

/** Evaluations are serialized, because each compares its results with stored ones. */
export class Evaluator {
  readonly #options: EvaluatorOptions
  readonly #queue = new Mutex()
  /** The configuration in force that is not recorded yet. */
  #due: Settings | null = null
  /** Of the configured tenants; null until there is a configuration. */
  #names: readonly string[] | null = null
  #shared: { readonly by: SharedBy; readonly at: number } | null = null

  constructor(options: EvaluatorOptions) {
    this.#options = options
  }

  /** From the next evaluation on. */
  configure(settings: Settings): void {
    // A copy, because the same settings may become due again while they are recorded.
    this.#due = { ...settings }
    this.#names = settings.tenants.map(({ name }) => name)
    this.#shared = null
  }

  /** The next evaluation reads again which configured tenants are the same one: a run may have just revealed it. */
  forgetShared(): void {
    this.#shared = null
  }

  /**
   * Records the configuration and ends the findings of tenants that were removed from it, if that is due. Each evaluation
   * begins with it.
   */
  settle(signal?: AbortSignal): Promise<void> {
    return this.#inTurn(signal, () => this.#settle())
  }

  /** Resolves when no evaluation runs or waits. */
  ended(): Promise<void> {
    return this.#queue.waitForUnlock()
  }

  /**
   * Evaluates the checks that read one of these resources, or all. Resolves with the first instant until which the
   * same records give the same results, in milliseconds since the epoch; null when no threshold is near, and when
   * another replica owns the tenant.
   *
   * @throws SyncError `aborted`, without waiting for its turn, once the signal is aborted.
   */
  evaluate(tenant: EvaluatedTenant, how: EvaluationOptions = {}): Promise<number | null> {
    return this.#inTurn(how.signal, async () => {
      await this.#settle()
      const { name } = tenant.settings
      const store = this.#options.stores.of(name)
      // A reload may have removed it while this evaluation waited.
      if (store === null || this.#names?.includes(name) === false) return null
      try {
        return await this.#evaluate(store, tenant, how)
      } catch (error) {
        // Another replica took the tenant meanwhile.
        if (reasonOf(error) === 'aborted' && how.signal?.aborted !== true) return null
        throw error
      }
    })
  }

  async #evaluate(store: Mirror, tenant: EvaluatedTenant, how: EvaluationOptions): Promise<number | null> {
    const { stores, metrics, clock, log, ownQueries } = this.#options
    const { serverTime = null, ...forwarded } = how
    const { name } = tenant.settings
    const now = clock.now()
    const common = stores.shared()
    await common?.noteTime(now)
    if (serverTime !== null && !isSkewed(serverTime - now)) await common?.confirmTime(now)
    const sharedWith = (await this.#readShared(store)).get(name)
    const ends: number[] = []
    const evaluation = evaluateTenant({
      store,
      tenant: { ...tenant, ...(sharedWith !== undefined && { sharedWith }) },
      checks,
      now,
      log,
      ...(ownQueries && { ownQueries }),
      async onDataQuality(quality) {
        await storeSkews(store, quality)
        await store.noteTenantState(tenant.id, inputSnapshot(quality, now), now)
      },
      ...forwarded,
    })
    for await (const result of evaluation) {
      const { opened, resolved } = logFindings(log, name, result)
      metrics.count('tenantwatch_findings_opened_total', { tenant: name, check: result.check }, opened)
      metrics.count('tenantwatch_findings_resolved_total', { tenant: name, check: result.check }, resolved)
      if (result.changesAt !== null) ends.push(result.changesAt)
    }
    return ends.length === 0 ? null : Math.min(...ends) - 1
  }

  async #settle(): Promise<void> {
    const { stores, clock } = this.#options
    const settings = this.#due
    const common = stores.shared()
    // Another replica records its own, until this one has to.
    if (settings === null || common === null) return
    const at = clock.now()
    await common.noteTime(at)
    await common.noteConfiguration(await recordOf(settings, at))
    const names = settings.tenants.map(({ name }) => name)
    await closeTenants(common, await stores.removed(names), at)
    if (this.#due === settings) this.#due = null
  }

  async #readShared(store: Mirror): Promise<SharedBy> {
    const at = this.#options.clock.monotonic()
    // A read takes longer with more tenants, so it is repeated less often.
    if (this.#shared !== null && at - this.#shared.at < Math.min(minuteMs, (this.#names?.length ?? 0) * 100))
      return this.#shared.by
    const by = await sharedTenants(store, this.#names ?? [])
    this.#shared = { by, at }
    return by
  }

  /** Waits for its turn until aborted: a tenant is given back after its own evaluations; others may take long. */
  async #inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.acquire()
    const release = await waitFor(turn, signal).catch((error: unknown) => {
      void turn.then((unused) => unused())
      throw error
    })
    return work().finally(release)
  }
}

/** The configuration in force. Its digest is equal for two replicas that evaluate the same, whatever their addresses. */
export function recordOf(settings: Settings, at: number): Promise<NotedConfiguration> {
  return configurationRecord(settings, { checks: checksOf(settings), at })
}

/** Most findings of one check that are logged one by one. */
const mostLogged = 10

interface FindingTransition {
  readonly fingerprint: string
  readonly kind: 'opened' | 'reopened' | 'resolved'
  readonly severity: Severity
  readonly resolution?: Resolution
}

function* transitionsOf({ written, resolved }: CheckResult): Generator<FindingTransition> {
  for (const { fingerprint, severity, kind, replacesOpen } of written) {
    if (replacesOpen) yield { fingerprint, kind: 'resolved', severity, resolution: 'entity_removed' }
    if (kind !== 'changed') yield { fingerprint, kind: kind === 'replaced' ? 'opened' : kind, severity }
  }
  for (const finding of resolved) yield { ...finding, kind: 'resolved' }
}

/** Logs what an evaluation changed about the findings of a check, by fingerprint: no name is logged. */
function logFindings(log: Log, tenant: string, result: CheckResult) {
  const { check, lapsed } = result
  const transitions = [...transitionsOf(result)]
  const resolved = transitions.filter(({ kind }) => kind === 'resolved').length
  const opened = transitions.length - resolved
  if (transitions.length > mostLogged) {
    log.info({ tenant, check, opened, resolved }, `Findings changed; the first ${mostLogged} follow`)
  }
  for (const { fingerprint, kind, ...facts } of transitions.slice(0, mostLogged))
    log.info({ tenant, check, finding: shortFingerprint(fingerprint), ...facts }, `Finding ${kind}`)
  for (const { fingerprint, waiver } of lapsed.slice(0, mostLogged)) {
    const facts = { tenant, check, waiver, finding: shortFingerprint(fingerprint) }
    log.info(facts, 'Waiver lapsed: the finding has changed')
  }
  return { opened, resolved }
}

/** A stored skew is updated when it changes by more than this, in milliseconds. */
const skewStepMs = 5 * secondMs

/** Stores the skew again after the local clock was set, for other processes and later ones. */
async function storeSkews(mirror: Mirror, { tenant, resources }: TenantDataQuality): Promise<void> {
  for (const { state, skewMs } of Object.values(resources)) {
    const { resource, serverTime, serverTimeAt } = state
    if (skewMs === null || serverTime === null || serverTimeAt === null) continue
    if (Math.abs(serverTime - serverTimeAt - skewMs) <= skewStepMs) continue
    await mirror.noteSync(tenant.id, resource, { serverTimeAt: Math.round(serverTime - skewMs) })
  }
}
