import { Mutex } from 'async-mutex'
import type { FeedQuery, Fetched } from '../api/reader.ts'
import { reasonOf, SyncError, throwIfAborted } from '../model/errors.ts'
import { type ChangeCause, holdHint, ownClientCause, remedyOf } from '../model/holds.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { HoldRow, PageComparison, SyncState, TenantRow } from '../store/port.ts'
import { type EngineStore, raiseHold, type TenantContext } from './context.ts'
import { shortestIntervalMs } from './due.ts'
import {
  type Answered,
  acceptedChange,
  awaitsAccepted,
  type Evidence,
  type GivenPage,
  idsOf,
  isOther,
  mismatchMessage,
  ownClientMissingMessage,
  readEvidence,
} from './identity-proof.ts'
import { admits } from './pages/strange-page.ts'

/** Which list a run reads, and what ends it. */
export interface GuardedRun {
  readonly definition: ResourceDefinition
  readonly signal: AbortSignal
}

/** Detects data of another tenant, because the API does not name its tenant (docs/internals/sync.md#8-tenant-identity). */
export class TenantGuard {
  readonly #context: TenantContext
  readonly #released: () => Promise<void>
  /** The stored facts of the tenant, as of the last `refresh`. */
  tenant: TenantRow
  #hold: HoldRow | null = null
  #verified: Answered = { identity: 0, credential: '' }
  /** Identity of the accepted tenant's data in this process; null until it was read. */
  #acceptedIdentity: number | null = null
  readonly #checking = new Mutex()
  /** Monotonic time of the last probe of a tenant on hold, which is repeated after an interval. */
  probedAt = Number.NEGATIVE_INFINITY
  #probing: Promise<void> | null = null
  /** The latest proof that lacked a permission, at a monotonic time. */
  #refused: { readonly error: unknown; readonly at: number; readonly credential: string } | null = null

  /** @param released is called when the hold of the tenant has ended. */
  constructor(context: TenantContext, tenant: TenantRow, released: () => Promise<void>) {
    this.#context = context
    this.tenant = tenant
    this.#released = released
  }

  /** Reads the stored facts and the hold of the tenant again. */
  async refresh(): Promise<void> {
    const { store } = this.#context
    this.tenant = await store.tenant(this.tenant.id)
    const holds = await store.holds(this.tenant.id)
    const before = this.#hold
    this.#hold = holds.find(({ resource, reason }) => resource === 'all' && reason === 'tenant_changed') ?? null
    if (before !== null && this.#hold === null) await this.#released()
  }

  /** Stores facts of the tenant. */
  async note(facts: Parameters<EngineStore['noteTenant']>[1]): Promise<void> {
    await this.#context.store.noteTenant(this.tenant.id, facts)
    await this.refresh()
  }

  /** True if the answer's identity is proven, false if it was read under an older one. Throws during a hold. */
  async verify(fetched: Fetched, query: FeedQuery, run: GuardedRun): Promise<boolean> {
    const { identity } = fetched.meta
    if (this.#verified.identity < identity) {
      await this.#checking.runExclusive(async () => {
        this.insist(run)
        if (this.#verified.identity < identity) await this.#check(fetched, Object.keys(query).length === 0, run)
      })
    }
    this.insist(run)
    return this.#verified.identity === identity
  }

  /** Proves the tenant again, and resolves with the records read (`Evidence.shown`). Throws, after raising a hold, for another. */
  async prove(run: GuardedRun): Promise<ReadonlySet<string>> {
    this.insist(run)
    if (this.passing) return new Set()
    const evidence = await this.#read([], this.#verified, run.signal)
    await this.#settle(evidence, this.#verified)
    this.insist(run)
    return evidence.shown
  }

  /** True while an operator's acceptance admits another tenant's data without comparison. */
  get passing(): boolean {
    return (
      acceptedChange(this.tenant, this.#verified) !== null &&
      this.tenant.acceptedIds.length === 0 &&
      (this.#acceptedIdentity === null || this.#verified.identity === this.#acceptedIdentity)
    )
  }

  admits(state: SyncState, comparison: PageComparison, serverTime: number | null): boolean {
    const { former, admitted } = this.tenant
    const now = this.#context.clock.now()
    return former.includes(state.resource) || admits(state, comparison, { now, serverTime, admitted })
  }

  /**
   * Raises a hold for another tenant if a proof finds one, else for the page: of its list alone if a proof finds this
   * tenant, which records as old as the list identify. Resolves with the error to throw.
   */
  async refusePage({ known, unknown }: PageComparison, run: GuardedRun): Promise<SyncError> {
    const evidence = await readEvidence(this.#context, this.tenant.id, [], run.signal).catch(throwIfAborted)
    this.insist(run)
    if (evidence?.outcome === 'mismatch' && evidence.answered) return this.#raiseMismatch(evidence, evidence.answered)
    const resource = run.definition.name
    const keys = unknown.map(({ key }) => key).filter((key) => key !== null)
    const { completeStartedAt } = await this.#context.store.syncState(this.tenant.id, resource)
    const identifiedSince = await this.#context.store.identifiedSince(this.tenant.id)
    const isProven = evidence?.outcome === 'match' && identifiedSince <= (completeStartedAt ?? 0)
    // It holds the whole tenant only until a proof succeeds.
    if (isProven && this.#hold?.cause.check === 'page')
      await this.#context.store.liftHold(this.tenant.id, 'all', 'tenant_changed')
    return this.#raise(
      `A page of ${resource} contains mostly records that are unknown here, or that changed their createdAt, although they are old`,
      { check: 'page', resource, keys },
      known + unknown.length,
      isProven ? resource : 'all',
    )
  }

  /** Ends the hold for a page of a list that has been read in full since. */
  async passPages(name: ResourceName): Promise<void> {
    const { store } = this.#context
    for (const hold of await store.holds(this.tenant.id)) {
      if (!isForPageOf(hold, name)) continue
      await store.liftHold(this.tenant.id, hold.resource, hold.reason)
      await this.refresh()
    }
  }

  /** Probes a tenant that is on hold. Throws while the hold lasts. */
  async passHold(run: GuardedRun): Promise<void> {
    const hold = this.#heldFor(run)
    if (hold === null) return
    // Only a person knows whether the tenant has moved: a copy of it has the same ids.
    if (hold.cause.check === 'page' || hold.cause.check === 'origin') throw changed(hold)
    if (this.#probing !== null) {
      // Concurrent runs share one probe, so that none fails by a hold that it releases.
      await this.#probing.catch(() => {})
      return this.insist(run)
    }
    const { clock, settings } = this.#context
    const now = clock.monotonic()
    if (now - this.probedAt < shortestIntervalMs(settings)) throw changed(hold)
    this.probedAt = now
    this.#probing = this.#probe(hold, run.signal)
    try {
      await this.#probing
    } finally {
      this.#probing = null
    }
  }

  covers(identity: number, run: GuardedRun): boolean {
    return identity === this.#verified.identity && this.#heldFor(run) === null
  }

  /** Throws during a hold of the tenant, when nothing may be written. */
  insist(run: GuardedRun): void {
    const hold = this.#heldFor(run)
    if (hold !== null) throw changed(hold)
  }

  /** The hold that stops a run. The list of a refused page is read on, because reading it ends the hold. */
  #heldFor({ definition }: GuardedRun): HoldRow | null {
    const hold = this.#hold
    return hold !== null && isForPageOf(hold, definition.name) ? null : hold
  }

  async #raise(
    message: string,
    cause: ChangeCause,
    count: number,
    resource: HoldRow['resource'] = 'all',
  ): Promise<SyncError> {
    const { clock, log } = this.#context
    this.probedAt = clock.monotonic()
    const hold = { resource, reason: 'tenant_changed', count, message, cause } as const
    const error = await raiseHold({ context: this.#context, tenantId: this.tenant.id }, hold, holdHint({ cause }))
    await this.refresh()
    log.error({ cause: cause.check, problem: message }, "The data look like another tenant's; nothing is written")
    return error
  }

  /** Raises a hold; data of a third tenant ends the acceptance of the second. */
  async #raiseMismatch(evidence: Evidence, { credential }: Answered): Promise<SyncError> {
    const { store } = this.#context
    this.#acceptedIdentity = null
    // All records that accepting the hold removes.
    let known = 0
    for (const resource of resourceNames) known += (await store.syncState(this.tenant.id, resource)).live
    if (this.tenant.changeAccepted !== null) {
      await store.noteTenant(this.tenant.id, { changeAccepted: null })
      await store.withdrawAcceptedRemovals(this.tenant.id)
    }
    return this.#raise(mismatchMessage(evidence), { check: 'proof', credential, ids: idsOf(evidence) }, known)
  }

  #raiseOwnClientMissing({ records }: Evidence): Promise<SyncError> {
    const { settings } = this.#context
    return this.#raise(ownClientMissingMessage(settings), ownClientCause(settings.ownClientId ?? ''), records)
  }

  /** An acceptance is valid for one credential, and, until the accepted tenant is mirrored, for one identity of it. */
  async #acceptancePasses(evidence: Evidence, answered: Answered): Promise<boolean> {
    const owed = acceptedChange(this.tenant, answered)
    if (owed === null || isOther(evidence, this.tenant.acceptedIds)) return false
    if (this.#acceptedIdentity !== null && this.#acceptedIdentity !== answered.identity) return false
    if (this.#acceptedIdentity === null && !(await awaitsAccepted(this.#context, this.tenant.id, owed))) return false
    this.#acceptedIdentity = answered.identity
    return true
  }

  async #settle(evidence: Evidence, last: Answered): Promise<void> {
    const { outcome } = evidence
    const answered = evidence.answered ?? last
    if (outcome === 'mismatch' && !(await this.#acceptancePasses(evidence, answered)))
      throw await this.#raiseMismatch(evidence, answered)
    if (outcome === 'ownClientMissing') throw await this.#raiseOwnClientMissing(evidence)
    this.#noteVerified(answered)
  }

  /** Reads a proof; one that lacked a permission is repeated after an interval, because each run would ask for it. */
  async #read(given: readonly GivenPage[], { credential }: Answered, signal: AbortSignal): Promise<Evidence> {
    const { clock, settings } = this.#context
    const at = clock.monotonic()
    const refused = this.#refused
    if (refused?.credential === credential && at - refused.at < shortestIntervalMs(settings)) throw refused.error
    return readEvidence(this.#context, this.tenant.id, given, signal).catch((error: unknown) => {
      if (reasonOf(error) === 'missing_permission') this.#refused = { error, at, credential }
      throw error
    })
  }

  #noteVerified(answered: Answered): void {
    if (answered.identity > this.#verified.identity) this.#verified = answered
  }

  async #check(fetched: Fetched, isFirst: boolean, { definition, signal }: GuardedRun): Promise<void> {
    if (this.tenant.changeAccepted !== null && this.#acceptedIdentity === fetched.meta.identity) {
      this.#verified = fetched.meta
      return
    }
    const given = isFirst ? [{ definition, fetched }] : []
    await this.#settle(await this.#read(given, fetched.meta, signal), fetched.meta)
  }

  async #probe(hold: HoldRow, signal: AbortSignal): Promise<void> {
    const { store, log } = this.#context
    if (!(await this.#endsHold(hold, signal))) throw changed(hold)
    await store.liftHold(this.tenant.id, 'all', 'tenant_changed')
    await this.refresh()
    this.probedAt = Number.NEGATIVE_INFINITY
    log.info({}, 'Tenant identity confirmed; hold released')
  }

  async #endsHold(hold: HoldRow, signal: AbortSignal): Promise<boolean> {
    const { settings } = this.#context
    const { cause } = hold
    const evidence = await readEvidence(this.#context, this.tenant.id, [], signal)
    const { outcome, answered } = evidence
    const { check } = cause
    const isAnother = check === 'proof' && (cause.credential !== answered?.credential || isOther(evidence, cause.ids))
    // Replaces the hold of another credential or of a third tenant, so that accepting one does not cover the other.
    if (answered !== null && outcome === 'mismatch' && isAnother) throw await this.#raiseMismatch(evidence, answered)
    if (outcome === 'ownClientMissing' && !(cause.check === 'own-client' && cause.ownClientId === settings.ownClientId))
      throw await this.#raiseOwnClientMissing(evidence)
    // Resources switched off since do not count.
    const nothingCounts = outcome === 'nothing' && remedyOf(hold) !== null
    if (outcome !== 'match' && !nothingCounts) return false
    if (answered !== null) this.#noteVerified(answered)
    return true
  }
}

function changed({ message, cause }: Pick<HoldRow, 'message' | 'cause'>): SyncError {
  return new SyncError('tenant_changed', message, { hint: holdHint({ cause }) })
}

/** True for the hold that a refused page of the list raised. */
function isForPageOf({ cause }: Pick<HoldRow, 'cause'>, resource: ResourceName): boolean {
  return cause.check === 'page' && cause.resource === resource
}
