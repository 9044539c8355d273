import { Mutex } from 'async-mutex'
import type { FeedQuery, Fetched } from '../api/reader.ts'
import type { HoldRow, PageGlance, SyncState, TenantRow } from '../mirror/port.ts'
import { dayMs } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { enabledResources, type TenantContext } from './context.ts'
import { type Evidence, type GivenPage, mismatchMessage, type ProofContext, readEvidence } from './identity-proof.ts'
import { emptyList, suspectEmpty } from './lists/suspect-empty.ts'
import { admits, refusedPagePasses } from './pages/refused-page.ts'

/** What an operator can do about a hold, by what raised it. */
export const deniedHint =
  'Give the token one of these permissions back, or switch those resources off; if it is the right token, see "tenantwatch accept"'
export const changedHint = 'Give back the right token or baseUrl; if the change is meant, see "tenantwatch accept"'

/** For so long after it was in question, a changed answer takes more proof. */
const troubledMs = dayMs
const rounds = { calm: 2, careful: 6 } as const

export interface ProofOptions {
  /** The first page of a list that was just read. */
  readonly given?: GivenPage
  /** True where a token that may read none of the lists is no reason to hold. */
  readonly denialPasses?: boolean
}

/**
 * Recognizes another tenant's data in the place of this one's (docs/sync.md#tenant-identity). The API names no tenant,
 * so the data itself must prove it.
 */
export interface TenantGuard {
  /** True when the answer's identity is proven; false when it was read under an older one. Throws while held. */
  verify(fetched: Fetched, definition: ResourceDefinition, query: FeedQuery, signal: AbortSignal): Promise<boolean>
  /** Proves again whose data the API returns now. Throws, with a hold where the data is another tenant's. */
  prove(signal: AbortSignal, options?: ProofOptions): Promise<void>
  /** True while an operator's acceptance lets another tenant's data in: nothing is compared. */
  readonly passing: boolean
  /**
   * How often a changed answer is read again, with a proof after each. More where `careful`, as for roles, permissions and
   * settings, in which nothing names the tenant, and for a day after a hold or after two reads that differ.
   */
  roundsOf(definition: Pick<ResourceDefinition, 'kind'>, careful?: boolean): number
  /** True for a day after a hold, or after two reads that differ. */
  readonly troubled: boolean
  noteTrouble(): void
  /** The page rule. */
  admits(state: SyncState, glance: PageGlance): boolean
  /** Raises the hold for a page that was refused; the error ends the run. */
  refusePage(resource: ResourceName, query: FeedQuery, glance: PageGlance): Promise<SyncError>
  /** Tries the check that raised a hold again; throws while it does not pass. Once an interval at most. */
  passHold(signal: AbortSignal): Promise<void>
  /** An operator accepted a token that may read none of the lists by which the tenant is recognized. */
  acceptDenial(): void
  /** True when answers of this identity were verified and the tenant is not on hold. */
  covers(identity: number): boolean
  /** Throws while the tenant is on hold: nothing may be written for it. */
  insist(): void
}

export interface GuardOptions {
  readonly context: TenantContext
  readonly tenantId: number
  /** Shortest interval of the tenant's schedule: a held tenant is probed no more often. */
  readonly intervalMs: number
  readonly tenant: () => TenantRow
  readonly held: () => HoldRow | null
  readonly refresh: () => Promise<void>
}

export function tenantGuard(options: GuardOptions): TenantGuard {
  const { context, tenantId, intervalMs, tenant, held, refresh } = options
  const { store, settings, clock, log } = context
  let verified = 0
  /** Identity whose data an acceptance is about; null until such data was read in this process. */
  let strangeIdentity: number | null = null
  let denial = { identity: null as number | null, accepted: false }
  let troubledUntil = Number.NEGATIVE_INFINITY
  const checking = new Mutex()
  let probedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | null = null

  const proving: ProofContext = {
    ...context,
    tenantId,
    emptyList: (definition) => suspectEmpty({ context, tenantId, definition }, 'list', emptyList),
  }

  const changed = ({ message, cause }: Pick<HoldRow, 'message' | 'cause'>) =>
    new SyncError('tenant_changed', message, { hint: isDenied({ cause }) ? deniedHint : changedHint })

  const passing = () => tenant().changeAccepted !== null && (strangeIdentity === null || verified === strangeIdentity)

  const noteTrouble = () => {
    troubledUntil = clock.monotonic() + troubledMs
  }

  function insist(): void {
    const hold = held()
    if (hold !== null) throw changed(hold)
  }

  async function raise(message: string, cause: Readonly<Record<string, unknown>>, count: number): Promise<SyncError> {
    const at = clock.now()
    probedAt = clock.monotonic()
    noteTrouble()
    await store.raiseHold({ tenantId, resource: 'all', reason: 'tenant_changed', count, message, cause, at })
    await refresh()
    if (isDenied({ cause })) log.warn({ problem: message }, 'Nothing proves whose data these are; nothing is written')
    else log.error({ check: cause['check'] }, 'The data look like another tenant; nothing of it is written')
    return changed({ message, cause })
  }

  /** A third tenant ends what an operator accepted of the second. */
  async function raiseMismatch(evidence: Evidence, identity: number): Promise<SyncError> {
    strangeIdentity = identity
    if (tenant().changeAccepted !== null) {
      await store.noteTenant(tenantId, { changeAccepted: null })
      await store.withdrawAcceptedRemovals(tenantId)
    }
    return raise(mismatchMessage(evidence), { check: 'proof' }, evidence.records)
  }

  /** A token that may read nothing by which the tenant could be recognized may as well be another tenant's. */
  function raiseDenied({ records, lacking }: Evidence, identity: number): Promise<SyncError> {
    denial = { identity, accepted: false }
    return raise(deniedMessage({ records, lacking }), { check: 'denied' }, records)
  }

  /** An acceptance lets one identity pass, after a restart too unless the accepted tenant is mirrored by now. */
  async function acceptancePasses(identity: number): Promise<boolean> {
    const owed = tenant().changeAccepted
    if (owed === null || (strangeIdentity !== null && strangeIdentity !== identity)) return false
    if (strangeIdentity === null && !(await awaitsAccepted(proving, owed))) return false
    strangeIdentity = identity
    return true
  }

  function denialAccepted(identity: number): boolean {
    if (!denial.accepted || (denial.identity !== null && denial.identity !== identity)) return false
    denial.identity = identity
    return true
  }

  async function settle(evidence: Evidence, answered: number, denialPasses: boolean): Promise<void> {
    const identity = evidence.identity ?? answered
    const { outcome } = evidence
    if (outcome === 'mismatch' && !(await acceptancePasses(identity))) throw await raiseMismatch(evidence, identity)
    if (outcome === 'denied' && !denialPasses && !denialAccepted(identity)) throw await raiseDenied(evidence, identity)
    verified = Math.max(verified, identity)
  }

  async function check({ fetched, definition }: GivenPage, isFirst: boolean, signal: AbortSignal): Promise<void> {
    const { identity } = fetched.meta
    if (tenant().changeAccepted !== null && strangeIdentity === identity) {
      verified = identity
      return
    }
    const given = isFirst ? [{ definition, fetched }] : []
    await settle(await readEvidence(proving, given, signal), identity, false)
  }

  async function probe(hold: HoldRow, signal: AbortSignal): Promise<void> {
    if (!(await retry(hold, signal))) throw changed(hold)
    await store.liftHold(tenantId, 'all', 'tenant_changed')
    await refresh()
    noteTrouble()
    probedAt = Number.NEGATIVE_INFINITY
    log.info({}, 'Tenant identity confirmed; hold released')
  }

  async function retry(hold: HoldRow, signal: AbortSignal): Promise<boolean> {
    const check = hold.cause['check']
    if (check === 'page' && !(await refusedPageOf(hold, signal))) return false
    const evidence = await readEvidence(proving, [], signal)
    const identity = evidence.identity ?? verified
    const { outcome } = evidence
    if (outcome === 'mismatch') strangeIdentity = identity
    if (outcome === 'denied') denial = { ...denial, identity }
    // Another tenant's data is worse than a refusal, and what is accepted of the one must not cover the other.
    if (outcome === 'mismatch' && isDenied(hold)) throw await raiseMismatch(evidence, identity)
    // Resources that were switched off by now count no longer; a page that passes needs no other proof then.
    const nothingCounts = outcome === 'nothing' && (isDenied(hold) || check === 'page')
    if (outcome !== 'match' && !nothingCounts) return false
    verified = Math.max(verified, identity)
    if (check === 'origin') await store.adoptBaseUrl(tenantId, settings.baseUrl)
    return true
  }

  /** True when the page passes now, or belongs to a resource that is switched off. */
  async function refusedPageOf({ cause }: HoldRow, signal: AbortSignal): Promise<boolean> {
    const definition = enabledResources(context).find(({ name }) => name === cause['resource'])
    if (definition === undefined) return true
    return refusedPagePasses({ context, tenantId, definition, query: cause['query'] as FeedQuery, signal })
  }

  return {
    async verify(fetched, definition, query, signal) {
      const { identity } = fetched.meta
      if (verified < identity) {
        await checking.runExclusive(async () => {
          // Another run may have raised the hold meanwhile; one that is under way must end by it, too.
          insist()
          // Only a page without any query is the list's first.
          if (verified < identity) await check({ fetched, definition }, Object.keys(query).length === 0, signal)
        })
      }
      insist()
      return verified === identity
    },
    async prove(signal, { given, denialPasses = false } = {}) {
      insist()
      if (passing()) return
      await settle(await readEvidence(proving, given === undefined ? [] : [given], signal), verified, denialPasses)
      insist()
    },
    get passing() {
      return passing()
    },
    roundsOf: ({ kind }, careful = kind === 'whole') =>
      rounds[careful || clock.monotonic() < troubledUntil ? 'careful' : 'calm'],
    get troubled() {
      return clock.monotonic() < troubledUntil
    },
    noteTrouble,
    // What a former tenant left is no measure for the accepted one.
    admits: (state, glance) =>
      tenant().former.includes(state.resource) || admits(state, glance, tenant().admitted, clock.now()),
    refusePage(resource, query, { known, unknown }) {
      const keys = unknown.map(({ key }) => key).filter((key) => key !== null)
      return raise(
        `A page of ${resource} holds mostly records that are unknown here although they are old`,
        { check: 'page', resource, query, keys },
        known + unknown.length,
      )
    },
    async passHold(signal) {
      const hold = held()
      if (hold === null) return
      if (probing !== null) {
        // Runs that begin together share one probe: failing by a hold that it lifts would ask for a token that is back.
        await probing.catch(() => {})
        return insist()
      }
      const now = clock.monotonic()
      if (now - probedAt < intervalMs) throw changed(hold)
      probedAt = now
      probing = probe(hold, signal)
      try {
        await probing
      } finally {
        probing = null
      }
    },
    acceptDenial() {
      denial = { ...denial, accepted: true }
    },
    covers: (identity) => identity === verified && held() === null,
    insist,
  }
}

/** True for a hold that was raised because nothing could be read by which the tenant would be recognized. */
export function isDenied({ cause }: Pick<HoldRow, 'cause'>): boolean {
  return cause['check'] === 'denied'
}

/** True until a list by which the accepted tenant is recognized was read to its end: from then on its ids prove it. */
export async function awaitsAccepted(
  { store, tenantId, ...context }: ProofContext,
  owed: readonly string[],
): Promise<boolean> {
  for (const { name, identifiedBy } of enabledResources(context)) {
    const isMirrored = identifiedBy === 'guid' && !owed.includes(name)
    if (isMirrored && (await store.liveCount(tenantId, name)) > 0) return false
  }
  return true
}

export function deniedMessage({ lacking, records }: Pick<Evidence, 'lacking' | 'records'>): string {
  return `Nothing proves whose data these are: the token lacks ${lacking.join(', ')}, so none of ${records} known records can be looked for`
}

export function movedMessage(
  { name, baseUrl }: Pick<TenantRow, 'name' | 'baseUrl'>,
  now: { readonly baseUrl: string },
) {
  return `The mirror of "${name}" comes from ${baseUrl}, not from ${now.baseUrl}`
}
