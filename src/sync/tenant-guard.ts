import { Mutex } from 'async-mutex'
import type { FeedQuery, Fetched } from '../api/reader.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { type ChangeCause, holdHint, isDenied, ownClientCause, remedyOf } from '../model/holds.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { HoldRow, PageComparison, SyncState, TenantRow } from '../store/port.ts'
import { atAddress } from '../store/sync/tenant-store.ts'
import { acceptedChange, awaitsAccepted, idsOf, isOther } from './accepted-change.ts'
import type { TenantContext } from './context.ts'
import {
  type Answered,
  deniedMessage,
  type Evidence,
  type GivenPage,
  mismatchMessage,
  ownClientMissingMessage,
  type ProofContext,
  readEvidence,
} from './identity-proof.ts'
import { emptyList, suspectEmpty } from './lists/suspect-empty.ts'
import { admits } from './pages/strange-page.ts'

/** Detects data of another tenant, because the API does not name its tenant (docs/internals/sync.md#8-tenant-identity). */
export interface TenantGuard {
  /** True if the answer's identity is proven, false if it was read under an older one. Throws during a hold. */
  verify(fetched: Fetched, query: FeedQuery, run: GuardedRun): Promise<boolean>
  /** Proves again that the API returns data of the tenant. Throws, after raising a hold, if it is another tenant's. */
  prove(run: GuardedRun): Promise<void>
  /** True while an operator's acceptance admits another tenant's data without comparison. */
  readonly passing: boolean
  admits(state: SyncState, comparison: PageComparison, serverTime: number | null): boolean
  /**
   * Raises a hold for another tenant if a proof finds one, else for the page: of its list alone if a proof finds this
   * tenant. Resolves with the error to throw.
   */
  refusePage(comparison: PageComparison, run: GuardedRun): Promise<SyncError>
  /** Ends the hold for a page of a list that has been read in full since. */
  passPages(resource: ResourceName): Promise<void>
  /** Probes a tenant that is on hold. Throws while the hold lasts. */
  passHold(run: GuardedRun): Promise<void>
  covers(identity: number, run: GuardedRun): boolean
  /** Throws during a hold of the tenant, when nothing may be written. */
  insist(run: GuardedRun): void
}

/** Which list a run reads, and what ends it. */
export interface GuardedRun {
  readonly definition: ResourceDefinition
  readonly signal: AbortSignal
}

export interface GuardOptions {
  readonly context: TenantContext
  readonly tenantId: number
  /** Shortest interval of the tenant's schedule, and least time between two probes during a hold. */
  readonly intervalMs: number
  readonly tenant: () => TenantRow
  readonly held: () => HoldRow | null
  readonly refresh: () => Promise<void>
}

export function tenantGuard(options: GuardOptions): TenantGuard {
  const { context, tenantId, intervalMs, tenant, held, refresh } = options
  const { store, settings, clock, log } = context
  let verified: Answered = { identity: 0, credential: '' }
  /** Identity of the accepted tenant's data in this process; null until it was read. */
  let acceptedIdentity: number | null = null
  const checking = new Mutex()
  let probedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | null = null

  const proving: ProofContext = {
    ...context,
    tenantId,
    emptyList: (definition) => suspectEmpty({ context, tenantId, definition }, 'list', emptyList),
  }

  const changed = ({ message, cause }: Pick<HoldRow, 'message' | 'cause'>) =>
    new SyncError('tenant_changed', message, { hint: holdHint({ cause }) })

  const passing = () =>
    acceptedChange(tenant(), verified) !== null &&
    tenant().acceptedIds.length === 0 &&
    (acceptedIdentity === null || verified.identity === acceptedIdentity)

  function noteVerified(answered: Answered): void {
    if (answered.identity > verified.identity) verified = answered
  }

  /** The hold that stops a run. The list of a refused page is read on, because reading it ends the hold. */
  function heldFor({ definition }: GuardedRun): HoldRow | null {
    const hold = held()
    return hold !== null && isForPageOf(hold, definition.name) ? null : hold
  }

  function insist(run: GuardedRun): void {
    const hold = heldFor(run)
    if (hold !== null) throw changed(hold)
  }

  async function raise(
    message: string,
    cause: ChangeCause,
    count: number,
    resource: HoldRow['resource'] = 'all',
  ): Promise<SyncError> {
    const at = clock.now()
    probedAt = clock.monotonic()
    await store.raiseHold({ tenantId, resource, reason: 'tenant_changed', count, message, cause, at })
    await refresh()
    if (isDenied({ cause })) log.warn({ problem: message }, 'Nothing proves whose data these are; nothing is written')
    else log.error({ cause: cause.check, problem: message }, "The data look like another tenant's; nothing is written")
    return changed({ message, cause })
  }

  /** Raises a hold; data of a third tenant ends the acceptance of the second. */
  async function raiseMismatch(evidence: Evidence, { credential }: Answered): Promise<SyncError> {
    acceptedIdentity = null
    // All records that accepting the hold removes.
    let known = 0
    for (const resource of resourceNames) known += await store.liveCount(tenantId, resource)
    if (tenant().changeAccepted !== null) {
      await store.noteTenant(tenantId, { changeAccepted: null })
      await store.withdrawAcceptedRemovals(tenantId)
    }
    return raise(mismatchMessage(evidence), { check: 'proof', credential, ids: idsOf(evidence) }, known)
  }

  function raiseOwnClientMissing({ records }: Evidence): Promise<SyncError> {
    return raise(ownClientMissingMessage(settings), ownClientCause(settings.ownClientId ?? ''), records)
  }

  function raiseDenied({ records, lacking }: Evidence, { credential }: Answered): Promise<SyncError> {
    return raise(deniedMessage({ records, lacking }), { check: 'denied', credential }, records)
  }

  /** An acceptance is valid for one credential, and, until the accepted tenant is mirrored, for one identity of it. */
  async function acceptancePasses(evidence: Evidence, answered: Answered): Promise<boolean> {
    const owed = acceptedChange(tenant(), answered)
    if (owed === null || isOther(evidence, tenant().acceptedIds)) return false
    if (acceptedIdentity !== null && acceptedIdentity !== answered.identity) return false
    if (acceptedIdentity === null && !(await awaitsAccepted(proving, owed))) return false
    acceptedIdentity = answered.identity
    return true
  }

  /** Ends an accepted denial when the credential changes or a deciding list is readable again. */
  async function endDenial({ outcome }: Evidence, { credential }: Answered): Promise<void> {
    const { deniedCredential } = tenant()
    if (deniedCredential === null || (outcome === 'denied' && deniedCredential === credential)) return
    await store.noteTenant(tenantId, { deniedCredential: null })
    await refresh()
  }

  async function settle(evidence: Evidence, last: Answered): Promise<void> {
    const { outcome } = evidence
    const answered = evidence.answered ?? last
    await endDenial(evidence, answered)
    if (outcome === 'mismatch' && !(await acceptancePasses(evidence, answered)))
      throw await raiseMismatch(evidence, answered)
    if (outcome === 'denied' && tenant().deniedCredential === null) throw await raiseDenied(evidence, answered)
    if (outcome === 'ownClientMissing') throw await raiseOwnClientMissing(evidence)
    noteVerified(answered)
  }

  async function check({ fetched, definition }: GivenPage, isFirst: boolean, signal: AbortSignal): Promise<void> {
    if (tenant().changeAccepted !== null && acceptedIdentity === fetched.meta.identity) {
      verified = fetched.meta
      return
    }
    const given = isFirst ? [{ definition, fetched }] : []
    await settle(await readEvidence(proving, given, signal), fetched.meta)
  }

  async function probe(hold: HoldRow, signal: AbortSignal): Promise<void> {
    if (!(await retry(hold, signal))) throw changed(hold)
    await store.liftHold(tenantId, 'all', 'tenant_changed')
    await refresh()
    probedAt = Number.NEGATIVE_INFINITY
    log.info({}, 'Tenant identity confirmed; hold released')
  }

  async function retry(hold: HoldRow, signal: AbortSignal): Promise<boolean> {
    const { cause } = hold
    const evidence = await readEvidence(proving, [], signal)
    const { outcome, answered } = evidence
    const byOther = 'credential' in cause && cause.credential !== answered?.credential
    const isThird = cause.check === 'proof' && isOther(evidence, cause.ids)
    // Replaces the hold of a refusal, of another credential or of a third tenant, so that accepting one does not cover the other.
    if (answered !== null && outcome === 'mismatch' && (isDenied(hold) || byOther || isThird))
      throw await raiseMismatch(evidence, answered)
    if (answered !== null && outcome === 'denied' && isDenied(hold) && byOther)
      throw await raiseDenied(evidence, answered)
    if (outcome === 'ownClientMissing' && !(cause.check === 'own-client' && cause.ownClientId === settings.ownClientId))
      throw await raiseOwnClientMissing(evidence)
    // Resources switched off since do not count.
    const nothingCounts = outcome === 'nothing' && (isDenied(hold) || remedyOf(hold) !== null)
    if (outcome !== 'match' && !nothingCounts) return false
    if (answered !== null) noteVerified(answered)
    if (cause.check === 'origin') await store.noteTenant(tenantId, atAddress(settings.baseUrl))
    return true
  }

  return {
    async verify(fetched, query, run) {
      const { definition, signal } = run
      const { identity } = fetched.meta
      if (verified.identity < identity) {
        await checking.runExclusive(async () => {
          insist(run)
          if (verified.identity < identity)
            await check({ fetched, definition }, Object.keys(query).length === 0, signal)
        })
      }
      insist(run)
      return verified.identity === identity
    },
    async prove(run) {
      insist(run)
      if (passing()) return
      await settle(await readEvidence(proving, [], run.signal), verified)
      insist(run)
    },
    get passing() {
      return passing()
    },
    admits: (state, comparison, serverTime) =>
      tenant().former.includes(state.resource) ||
      admits(state, comparison, { now: clock.now(), serverTime, admitted: tenant().admitted }),
    async refusePage({ known, unknown }, run) {
      const evidence = await readEvidence(proving, [], run.signal).catch(throwIfAborted)
      insist(run)
      if (evidence?.outcome === 'mismatch' && evidence.answered) return raiseMismatch(evidence, evidence.answered)
      const resource = run.definition.name
      const keys = unknown.map(({ key }) => key).filter((key) => key !== null)
      return raise(
        `A page of ${resource} contains mostly records that are unknown here although they are old`,
        { check: 'page', resource, keys },
        known + unknown.length,
        evidence?.outcome === 'match' ? resource : 'all',
      )
    },
    async passPages(name) {
      for (const hold of await store.holds(tenantId)) {
        if (!isForPageOf(hold, name)) continue
        await store.liftHold(tenantId, hold.resource, hold.reason)
        await refresh()
      }
    },
    async passHold(run) {
      const hold = heldFor(run)
      if (hold === null) return
      if (hold.cause.check === 'page') throw changed(hold)
      if (probing !== null) {
        // Concurrent runs share one probe, so that none fails by a hold that it releases.
        await probing.catch(() => {})
        return insist(run)
      }
      const now = clock.monotonic()
      if (now - probedAt < intervalMs) throw changed(hold)
      probedAt = now
      probing = probe(hold, run.signal)
      try {
        await probing
      } finally {
        probing = null
      }
    },
    covers: (identity, run) => identity === verified.identity && heldFor(run) === null,
    insist,
  }
}

/** True for the hold that a refused page of the list raised. */
function isForPageOf({ cause }: Pick<HoldRow, 'cause'>, resource: ResourceName): boolean {
  return cause.check === 'page' && cause.resource === resource
}

function throwIfAborted(error: unknown): null {
  if (reasonOf(error) === 'aborted') throw error
  return null
}

export function movedMessage({ name, baseUrl }: Pick<TenantRow, 'name' | 'baseUrl'>, now: string) {
  return `The mirror of "${name}" comes from ${baseUrl}, not from ${now}`
}
