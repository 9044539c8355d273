import type { HoldRow, PageGlance, SyncState } from '../mirror/port.ts'
import { hourMs } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { FeedQuery } from '../tenant/reader.ts'
import { enabledResources, type TenantContext } from './context.ts'
import { firstPageKnown, type Sighting } from './identity-check.ts'
import { createdAtOf, fetchOf, idOf, queryAt } from './page-reading.ts'
import type { Fetched, ResourceDefinition, WalkResource } from './resource.ts'

const leastSuspiciousPage = 5
const oldEnoughMs = hourMs

/** What an operator can do about a hold, by the check that raised it. */
const deniedHint =
  'Give the token one of these permissions back, or switch those resources off; if it is the right token, see "tenantwatch accept"'
const changedHint = 'Give back the right token or baseUrl; if the change is meant, see "tenantwatch accept"'

/**
 * Notices another tenant's data in the place of this one's (contract: Tenant guard). The API names no tenant, so the
 * data itself must show an id that the mirror knows.
 */
export interface TenantGuard {
  /** True when the answer's identity is verified; false when it was read under an older one. Throws while held. */
  verify(fetched: Fetched, definition: ResourceDefinition, query: FeedQuery, signal: AbortSignal): Promise<boolean>
  /** The page rule (b), where it applies. */
  admission(state: SyncState): { readonly admit?: (glance: PageGlance) => boolean }
  /** Raises the hold for a page that was refused; the error ends the run. */
  refusePage(resource: ResourceName, query: FeedQuery, records: number): Promise<SyncError>
  /** Tries the check that raised a hold again; throws while it does not pass. Once an interval at most. */
  passHold(signal: AbortSignal): Promise<void>
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
  /** True while an operator's acceptance lets the checks pass. */
  readonly accepted: () => boolean
  readonly held: () => HoldRow | null
  readonly refresh: () => Promise<void>
}

export function tenantGuard(options: GuardOptions): TenantGuard {
  const { context, tenantId, intervalMs, accepted, held, refresh } = options
  const { store, settings, clock, log } = context
  let verified = 0
  let checking: Promise<void> = Promise.resolve()
  let probedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | null = null

  const changed = ({ message, cause }: Pick<HoldRow, 'message' | 'cause'>) =>
    new SyncError('tenant_changed', message, { hint: isDenied({ cause }) ? deniedHint : changedHint })

  function insist(): void {
    const hold = held()
    if (hold !== null) throw changed(hold)
  }

  async function raise(message: string, cause: Readonly<Record<string, unknown>>, count: number): Promise<SyncError> {
    const at = clock.now()
    probedAt = clock.monotonic()
    await store.raiseHold({ tenantId, resource: 'all', reason: 'tenant_changed', count, message, cause, at })
    await refresh()
    if (isDenied({ cause })) log.warn({ problem: message }, 'Nothing shows whose data these are; nothing is written')
    else log.error({ cause }, 'The data look like another tenant; nothing of it is written')
    return changed({ message, cause })
  }

  const raiseStranger = ({ records }: Sighting) =>
    raise('No first page shows an id that the mirror knows', { check: 'first-page' }, records)

  /** A token that may read nothing by which the tenant could be recognized may as well be another tenant's. */
  const raiseDenied = ({ records, lacking }: Sighting) =>
    raise(
      `Nothing shows whose data these are: the token lacks ${lacking.join(', ')}, so none of ${records} known records can be looked for`,
      { check: 'denied' },
      records,
    )

  async function check(fetched: Fetched, definition: ResourceDefinition, first: boolean, signal: AbortSignal) {
    const given = first ? { definition, fetched } : undefined
    const sighting = await firstPageKnown(context, tenantId, given, signal)
    if (sighting.seen === 'stranger') throw await raiseStranger(sighting)
    if (sighting.seen === 'denied') throw await raiseDenied(sighting)
    verified = Math.max(verified, sighting.identity ?? fetched.meta.identity)
  }

  async function probe(hold: HoldRow, signal: AbortSignal): Promise<void> {
    if (!(await retry(hold, signal))) throw changed(hold)
    await store.liftHold(tenantId, 'all', 'tenant_changed')
    await refresh()
    probedAt = Number.NEGATIVE_INFINITY
    log.info({}, 'The tenant is itself again; the hold is lifted')
  }

  async function retry(hold: HoldRow, signal: AbortSignal): Promise<boolean> {
    if (hold.cause['check'] !== 'page') {
      const sighting: Sighting = await firstPageKnown(context, tenantId, undefined, signal)
      // A stranger is worse than a refusal, and what an operator accepted of the one must not cover the other.
      if (sighting.seen === 'stranger' && isDenied(hold)) throw await raiseStranger(sighting)
      // Resources that were switched off by now count no longer.
      if (sighting.seen === 'nothing' && isDenied(hold)) return true
      if (sighting.seen !== 'known') return false
      verified = sighting.identity ?? verified
      if (hold.cause['check'] === 'origin') await store.adoptBaseUrl(tenantId, settings.baseUrl)
      return true
    }
    const definition = enabledResources(context).find(({ name }) => name === hold.cause['resource'])
    if (definition === undefined) return true
    const state = await store.syncState(tenantId, definition.name)
    const passes =
      definition.kind === 'walk'
        ? await everyPageAdmitted(definition, state, signal)
        : admits(state, await glanceAt(definition, await refetch(definition, hold.cause['query'] as FeedQuery, signal)))
    // A page that merely became short or empty is no proof of the old tenant.
    const { seen } = await firstPageKnown(context, tenantId, undefined, signal)
    return passes && (seen === 'known' || seen === 'nothing')
  }

  /** A list whose cursors are good within one walk only is walked to see the page again (contract: Sync table). */
  async function everyPageAdmitted(definition: WalkResource, state: SyncState, signal: AbortSignal): Promise<boolean> {
    let cursor: string | null = null
    for (let pages = 0; pages < settings.api.maxPages; pages++) {
      const page: Fetched = await fetchOf(context, definition, queryAt(cursor), signal)
      if (!admits(state, await glanceAt(definition, page))) return false
      if (!page.hasMore || page.nextCursor === null || page.nextCursor === cursor) return true
      cursor = page.nextCursor
    }
    return false
  }

  async function refetch(definition: ResourceDefinition, query: FeedQuery, signal: AbortSignal): Promise<Fetched> {
    try {
      return await fetchOf(context, definition, query, signal)
    } catch (error) {
      if (error instanceof SyncError && error.status === 400) return fetchOf(context, definition, {}, signal)
      throw error
    }
  }

  async function glanceAt({ name, idField }: ResourceDefinition, { items }: Fetched): Promise<PageGlance> {
    const unknownCreatedAt: (number | null)[] = []
    let known = 0
    for (const item of items) {
      const id = idOf(item, idField)
      if (id !== null && (await store.knownKeys(tenantId, name, [id])) > 0) known++
      else unknownCreatedAt.push(item.ok ? createdAtOf(item.record) : null)
    }
    return { known, unknownCreatedAt }
  }

  return {
    async verify(fetched, definition, query, signal) {
      const { identity } = fetched.meta
      if (verified < identity) {
        const mine = checking.then(async () => {
          // Another run may have raised the hold meanwhile; one that is under way must end by it, too.
          insist()
          if (verified >= identity) return
          if (accepted()) verified = identity
          // Only a page without any query shows the list's beginning.
          else await check(fetched, definition, Object.keys(query).length === 0, signal)
        })
        checking = mine.catch(() => {})
        await mine
      }
      insist()
      return verified === identity
    },
    admission(state) {
      if (accepted() || state.completeServerTime === null) return {}
      return { admit: (glance) => admits(state, glance) }
    },
    refusePage: (resource, query, records) =>
      raise(
        `A page of ${resource} holds mostly records that are unknown here although they are old`,
        { check: 'page', resource, query },
        records,
      ),
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
    covers: (identity) => identity === verified && held() === null,
    insist,
  }
}

/** True for a hold that stands because nothing could be read by which the tenant would be recognized. */
export function isDenied({ cause }: Pick<HoldRow, 'cause'>): boolean {
  return cause['check'] === 'denied'
}

/** Rule (b): false for a page of five or more whose records are mostly unknown yet older than the last complete walk. */
export function admits(state: Pick<SyncState, 'completeServerTime'>, { known, unknownCreatedAt }: PageGlance): boolean {
  const total = known + unknownCreatedAt.length
  if (state.completeServerTime === null || total < leastSuspiciousPage) return true
  const before = state.completeServerTime - oldEnoughMs
  const strange = unknownCreatedAt.filter((createdAt) => createdAt !== null && createdAt < before).length
  return strange * 2 <= total
}
