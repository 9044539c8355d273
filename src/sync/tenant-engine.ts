import { Mutex } from 'async-mutex'
import { reasonOf, SyncError } from '../model/errors.ts'
import { memoize } from '../model/memoize.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import { noCounts, type RunResult } from '../model/run-result.ts'
import type { TenantRow } from '../store/port.ts'
import { RidSet } from '../store/sync/seen-records.ts'
import { atAddress } from '../store/sync/tenant-store.ts'
import { enabledResources, type TenantContext } from './context.ts'
import { type LoggedEvents, logEvents } from './contract-events.ts'
import { applyDecisions } from './decisions.ts'
import { type DueRun, dueRuns, readersAfter } from './due.ts'
import { fullSyncOfFeed, incrementalSyncOfFeed } from './feeds/feed-sync.ts'
import { movedMessage } from './identity-proof.ts'
import { fullSyncOfList } from './lists/list-full.ts'
import { readWhole } from './lists/whole-list.ts'
import type { Run } from './run.ts'
import { TenantGuard } from './tenant-guard.ts'

export async function openTenantEngine(context: TenantContext): Promise<TenantEngine> {
  const { store, settings, clock } = context
  const { tenant } = await store.openTenant(settings.name, settings.baseUrl, clock.now())
  const engine = new TenantEngine(context, tenant)
  await engine.begin()
  return engine
}

export class TenantEngine {
  readonly tenantId: number
  readonly resources: readonly ResourceName[]
  readonly #context: TenantContext
  readonly #guard: TenantGuard
  readonly #loggedEvents: LoggedEvents = new Map()
  readonly #queueOf = memoize((_: ResourceName) => new Mutex())
  readonly #deciding = new Mutex()
  readonly #forward = new Set<ResourceName>()

  constructor(context: TenantContext, tenant: TenantRow) {
    this.#context = context
    this.tenantId = tenant.id
    this.resources = enabledResources(context).map(({ name }) => name)
    this.#guard = new TenantGuard(context, tenant, () => this.#tenantReleased())
  }

  /** Holds the tenant if it is at another address than before, and lifts what no longer holds. */
  async begin(): Promise<void> {
    const { store, settings, clock } = this.#context
    const sameOrigin = (await store.tenant(this.tenantId)).baseUrl === settings.baseUrl
    for (const { resource, reason, cause } of await store.holds(this.tenantId)) {
      // Other holds of a list stay while it is off, because its removals were not decided.
      const isOff = resource === 'all' && cause.check === 'page' && !this.resources.includes(cause.resource)
      if (isOff || (cause.check === 'origin' && sameOrigin)) await store.liftHold(this.tenantId, resource, reason)
    }
    if (!sameOrigin && !(await store.knowsAny(this.tenantId)))
      await store.noteTenant(this.tenantId, atAddress(settings.baseUrl))
    else if (!sameOrigin) {
      const message = movedMessage(this.#guard.tenant, settings.baseUrl)
      const cause = { check: 'origin', baseUrl: settings.baseUrl } as const
      const hold = { resource: 'all', reason: 'tenant_changed', count: 0, message, cause } as const
      await store.raiseHold({ ...hold, tenantId: this.tenantId, at: clock.now() })
    }
    await this.#guard.refresh()
    await this.#acceptanceEnds()
  }

  /** The next run probes a tenant on hold, because a person asks for it. */
  probeSoon(): void {
    this.#guard.probedAt = Number.NEGATIVE_INFINITY
  }

  due(command: 'run' | 'sync'): Promise<readonly DueRun[]> {
    return dueRuns(this.#context, this.tenantId, command)
  }

  /** Full syncs to run before their schedule, after a decision of an operator or the end of a tenant hold. */
  async broughtForward(): Promise<readonly DueRun[]> {
    for (const { resource } of await this.#context.store.pendingDecisions(this.tenantId)) this.#bringForward(resource)
    return [...this.#forward].map((resource) => ({ resource, mode: 'full' }))
  }

  async run(resource: ResourceName, mode: SyncMode, signal: AbortSignal): Promise<RunResult> {
    const { clock, settings, observer, log } = this.#context
    using _turn = { [Symbol.dispose]: await this.#queueOf(resource).acquire() }
    const started = clock.monotonic()
    let run: Run | undefined
    let failure: unknown = null
    let outcome: RunResult['outcome'] = 'success'
    try {
      await this.#applyDecisions()
      run = await this.#prepare(resource, mode, signal)
      try {
        await this.#guard.passHold(run)
      } finally {
        // Before it reads, so that what changes meanwhile counts; also if it is held, else each evaluation would run it again.
        if (run.mode === 'full') this.#forward.delete(resource)
      }
      const { definition } = run
      if (definition.kind === 'pagedList') await fullSyncOfList(run, definition)
      else if (definition.kind === 'whole') await readWhole(run, definition)
      else if (run.mode === 'full') await fullSyncOfFeed(run, definition)
      else if (!(await incrementalSyncOfFeed(run, definition))) outcome = 'skipped'
    } catch (error) {
      failure = error
      outcome = 'failure'
    }
    if (run !== undefined) logEvents(run, this.#loggedEvents)
    const reason = failure === null ? null : signal.aborted ? 'aborted' : reasonOf(failure)
    const known = failure instanceof SyncError ? failure : null
    if (reason === 'internal') log.error({ err: failure, resource }, 'A run failed by a fault of tenantwatch itself')
    const result: RunResult = {
      tenant: settings.name,
      resource,
      mode: run?.mode ?? mode,
      outcome,
      reason,
      message: known?.message ?? (outcome === 'skipped' ? paused : reason === null ? null : unnamed(reason)),
      hint: known?.hint ?? null,
      counts: run?.counts ?? noCounts,
      pages: run?.pages ?? 0,
      answered: run?.answered ?? null,
      durationMs: clock.monotonic() - started,
      retryAt: known?.retryAt ?? null,
      tokenRefused: reason === 'unauthorized' && known?.undecided === false,
      stored: outcome === 'skipped',
    }
    if (outcome === 'skipped') return result
    const ended = run === undefined ? result : await this.#close(run, result)
    if (run !== undefined) this.#bringRelatedForward(run)
    observer.runEnded(ended)
    return ended
  }

  async #prepare(resource: ResourceName, mode: SyncMode, signal: AbortSignal): Promise<Run> {
    const definition = enabledResources(this.#context).find(({ name }) => name === resource)
    if (definition === undefined) throw new TypeError(`The resource ${resource} is switched off`)
    const startedAt = this.#context.clock.now()
    return {
      context: this.#context,
      tenantId: this.tenantId,
      guard: this.#guard,
      definition,
      signal,
      startedAt,
      state: await this.#context.store.syncState(this.tenantId, resource),
      mode: definition.kind === 'feed' ? mode : 'full',
      pages: 0,
      counts: { ...noCounts },
      relevant: 0,
      dataAsOf: startedAt,
      reachedEndServerTime: null,
      readInFull: { beforeMs: 0, since: this.#context.clock.monotonic() },
      answered: null,
      reachedTime: null,
      lookUps: 0,
      proven: false,
      seen: new RidSet(),
      detailsDue: new Set(),
      events: new Map(),
      fullSyncCompleted: () => this.#fullSyncCompleted(definition),
    }
  }

  /** Stores the end of the run. A success that cannot be stored becomes a failure; a failure keeps its reason. */
  async #close(run: Run, result: RunResult): Promise<RunResult> {
    const { store, clock, log } = this.#context
    const { outcome, resource, reason } = result
    const message = result.hint === null ? result.message : `${result.message}. ${result.hint}`
    const isSuccess = outcome === 'success'
    try {
      if (reason === 'stale_answer' && run.mode === 'full') await this.#takeBack(run)
      await store.closeRun({
        ...result,
        tenantId: this.tenantId,
        startedAt: run.startedAt,
        endedAt: clock.now(),
        dataAsOf: run.dataAsOf,
        outcome: isSuccess ? 'success' : 'failure',
        message,
        reachedEndServerTime: isSuccess ? run.reachedEndServerTime : null,
      })
      if (result.retryAt !== null) await store.noteWait(this.tenantId, resource, result.retryAt)
      if (reason === 'missing_permission') await this.#acceptanceEnds(resource)
      return { ...result, stored: true }
    } catch (error) {
      const own = reasonOf(error)
      if (own === 'aborted') {
        log.info({ resource }, 'The end of a run was not stored: another replica owns the tenant')
      } else if (own === 'store') {
        // No bug, but for example a full disk.
        log.warn({ detail: String(error), resource }, 'The end of a run could not be stored')
      } else {
        log.error({ err: error, resource }, 'The end of a run could not be stored')
      }
      if (outcome !== 'success') return result
      return {
        ...result,
        outcome: 'failure',
        reason: own,
        message: error instanceof SyncError ? error.message : unnamed(own),
        hint: error instanceof SyncError ? (error.hint ?? null) : null,
      }
    }
  }

  /** After a stale answer, earlier ones may be stale, too: drops the full sync and restores the former state. */
  async #takeBack({ definition: { name }, state }: Run): Promise<void> {
    const { store } = this.#context
    const open = await store.openFullSync(this.tenantId, name)
    if (open !== null) await store.dropFullSync(open.id)
    const { completeStartedAt, completeServerTime, completeDurationMs, completeRequestId } = state
    const complete = { completeStartedAt, completeServerTime, completeDurationMs, completeRequestId }
    await store.noteSync(this.tenantId, name, complete)
  }

  /** One at a time: each concurrent run removes its own resource from the same lists. */
  #fullSyncCompleted(definition: ResourceDefinition): Promise<void> {
    return this.#deciding.runExclusive(async () => {
      const { store } = this.#context
      const { former } = this.#guard.tenant
      const { name } = definition
      await this.#guard.passPages(name)
      if (former.includes(name) && !(await store.awaitsRemovals(this.tenantId, name)))
        await this.#guard.note({ former: former.filter((one) => one !== name) })
      await this.#acceptanceEnds(name)
    })
  }

  /** An accepted tenant change ends after full syncs of all readable resources, an accepted page after its own. */
  async #acceptanceEnds(name?: ResourceName): Promise<void> {
    const { changeAccepted: owed, admitted } = this.#guard.tenant
    const others = admitted.filter(({ resource }) => resource !== name)
    if (owed === null && others.length === admitted.length) return
    const left = this.resources.filter((resource) => resource !== name && owed?.includes(resource))
    await this.#guard.note({ changeAccepted: left.length === 0 ? null : left, admitted: others })
  }

  /** One at a time, so that two concurrent runs do not apply the same decision. */
  #applyDecisions(): Promise<void> {
    return this.#deciding.runExclusive(async () => {
      const decided = await applyDecisions(this.#context, this.tenantId)
      for (const resource of decided) this.#bringForward(resource)
      await this.#guard.refresh()
    })
  }

  /** What changed clients refer to may have changed, too, and who refers to changed roles may have others by now. */
  #bringRelatedForward({ definition, counts, relevant, state }: Run): void {
    const { created, removed } = counts
    const { kind, name, readAfter = [] } = definition
    if (kind === 'pagedList' && created + relevant > 0) for (const one of readersAfter(name)) this.#bringForward(one)
    const isFirst = state.completeStartedAt === null
    if (kind === 'whole' && !isFirst && created + relevant + removed > 0)
      for (const one of readAfter) this.#bringForward(one)
  }

  #bringForward(resource: ResourceName | 'all'): void {
    for (const name of this.resources) if (resource === 'all' || resource === name) this.#forward.add(name)
  }

  async #tenantReleased(): Promise<void> {
    for (const name of this.resources) {
      const { fullReason } = await this.#context.store.syncState(this.tenantId, name)
      if (fullReason === 'tenant_changed') this.#forward.add(name)
    }
  }
}

/** docs/internals/sync.md#12-lost-cursor */
const paused = 'Incremental syncs wait for the next full sync, because the tenant refused a cursor again'

function unnamed(reason: Reason): string {
  return reason === 'aborted' ? 'The run was aborted' : 'An unforeseen fault of tenantwatch itself; see the log'
}
