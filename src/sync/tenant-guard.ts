import { Mutex } from 'async-mutex'
import type { FeedQuery, Fetched } from '../api/reader.ts'
import type { HoldRow, PageComparison, SyncState, TenantRow } from '../mirror/port.ts'
import { dayMs } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { enabledResources, type TenantContext } from './context.ts'
import { type Evidence, type GivenPage, mismatchMessage, type ProofContext, readEvidence } from './identity-proof.ts'
import { emptyList, suspectEmpty } from './lists/suspect-empty.ts'
import { admits, refusedPagePasses } from './pages/refused-page.ts'

export const deniedHint =
  'Give the token one of these permissions back, or switch those resources off; if it is the right token, see "tenantwatch accept"'
export const changedHint = 'Give back the right token or baseUrl; if the change is meant, see "tenantwatch accept"'

/** After a suspected mismatch, changed answers need more proof for this long. */
const troubledMs = dayMs
const rounds = { calm: 2, careful: 6 } as const

export interface ProofOptions {
  readonly given?: GivenPage
  readonly denialPasses?: boolean
}

/** Detects another tenant by its data, since the API names no tenant (docs/sync.md#tenant-identity). */
export interface TenantGuard {
  /** True when the answer's identity is proven; false when it was read under an older one. Throws during a hold. */
  verify(fetched: Fetched, definition: ResourceDefinition, query: FeedQuery, signal: AbortSignal): Promise<boolean>
  /** Proves the identity of the present data again. Throws, after raising a hold, when it is another tenant's. */
  prove(signal: AbortSignal, options?: ProofOptions): Promise<void>
  /** True while an operator's acceptance admits another tenant's data without comparison. */
  readonly passing: boolean
  /** Repeated reads of a changed answer; more if `careful` (roles, permissions, settings) or `troubled`. */
  roundsOf(definition: Pick<ResourceDefinition, 'kind'>, careful?: boolean): number
  readonly troubled: boolean
  noteTrouble(): void
  admits(state: SyncState, comparison: PageComparison): boolean
  refusePage(resource: ResourceName, query: FeedQuery, comparison: PageComparison): Promise<SyncError>
  passHold(signal: AbortSignal): Promise<void>
  acceptDenial(): void
  covers(identity: number): boolean
  /** Throws during a hold of the tenant: nothing may be written for it. */
  insist(): void
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
  let verified = 0
  /** Identity whose data the next acceptance covers; null until such data was read in this process. */
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

  /** A third tenant ends the acceptance of the second. */
  async function raiseMismatch(evidence: Evidence, identity: number): Promise<SyncError> {
    strangeIdentity = identity
    if (tenant().changeAccepted !== null) {
      await store.noteTenant(tenantId, { changeAccepted: null })
      await store.withdrawAcceptedRemovals(tenantId)
    }
    return raise(mismatchMessage(evidence), { check: 'proof' }, evidence.records)
  }

  function raiseDenied({ records, lacking }: Evidence, identity: number): Promise<SyncError> {
    denial = { identity, accepted: false }
    return raise(deniedMessage({ records, lacking }), { check: 'denied' }, records)
  }

  /** An acceptance covers one identity, also after a restart unless the accepted tenant is already mirrored. */
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
    // A mismatch replaces the hold of a refusal, so that accepting one does not cover the other.
    if (outcome === 'mismatch' && isDenied(hold)) throw await raiseMismatch(evidence, identity)
    // Resources switched off since do not count; a page that passes then needs no other proof.
    const nothingCounts = outcome === 'nothing' && (isDenied(hold) || check === 'page')
    if (outcome !== 'match' && !nothingCounts) return false
    verified = Math.max(verified, identity)
    if (check === 'origin') await store.adoptBaseUrl(tenantId, settings.baseUrl)
    return true
  }

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
          insist()
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
    admits: (state, comparison) =>
      tenant().former.includes(state.resource) || admits(state, comparison, tenant().admitted, clock.now()),
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
        // Concurrent runs share one probe, so that none fails by a hold that the probe lifts.
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

/** True for a hold raised because no list that identifies the tenant could be read. */
export function isDenied({ cause }: Pick<HoldRow, 'cause'>): boolean {
  return cause['check'] === 'denied'
}

/** True until a list that identifies the accepted tenant was read to its end: its ids then prove it. */
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
