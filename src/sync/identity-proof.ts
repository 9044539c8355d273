import type { AnswerMeta, Fetched } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { createdAtOf } from '../model/time.ts'
import type { TenantRow } from '../store/port.ts'
import { enabledResources, identifyingLists, ownIdOn, type TenantContext } from './context.ts'
import { emptyList, repeatDelaysMs, suspectEmpty } from './lists/suspect-empty.ts'
import { cursorIgnored, idTextsOn, pageRules, queryAt } from './pages/page-rules.ts'
import { isOldBy } from './pages/strange-page.ts'

/** Most pages of one list that a proof reads; a known id is nearly always on the first. */
const mostPages = 50

export type Answered = Pick<AnswerMeta, 'identity' | 'credential'>

/**
 * Result of a proof (docs/internals/sync.md#8-tenant-identity); `nothing`: no deciding list exists, `ownClientMissing`: none
 * exists, and the list of API clients lacks `ownClientId`.
 */
export interface Evidence {
  readonly outcome: 'match' | 'mismatch' | 'nothing' | 'ownClientMissing'
  /** Facts of the last answer; null if nothing was read. */
  readonly answered: Answered | null
  readonly records: number
  readonly strange: readonly ResourceDefinition[]
  /** The records that were read, as `resource GUID`. */
  readonly shown: ReadonlySet<string>
}

export interface GivenPage {
  readonly definition: ResourceDefinition
  readonly fetched: Fetched
}

class Proof {
  readonly #context: TenantContext
  readonly #tenantId: number
  readonly #given: readonly GivenPage[]
  readonly #signal: AbortSignal
  readonly #strange: ResourceDefinition[] = []
  readonly #shown = new Set<string>()
  #answered: Answered | null = null
  #records = 0
  #emptyList = false
  #failure: unknown

  constructor(context: TenantContext, tenantId: number, given: readonly GivenPage[], signal: AbortSignal) {
    this.#context = context
    this.#tenantId = tenantId
    this.#given = given
    this.#signal = signal
  }

  async read(): Promise<Evidence> {
    for (const { definition, isLive } of await identifyingLists(this.#context, this.#tenantId)) {
      const found = await this.#attempt(definition, () => this.#searchKnown(definition, isLive))
      if (found === true) return this.#evidence('match')
    }
    if (this.#strange.length > 0) return this.#evidence('mismatch')
    if (this.#failure !== undefined) throw this.#failure
    return this.#emptyList ? this.#evidence('mismatch') : this.#decideByOwnClient()
  }

  /** As `#search`. Where the mirror knows tombstones only, only old records are strange: new ones may be the tenant's. */
  async #searchKnown(definition: ResourceDefinition, isLive: boolean): Promise<boolean | undefined> {
    const { store, clock } = this.#context
    const state = await store.syncState(this.#tenantId, definition.name)
    const onlyRemoved = isLive && state.live > 0 ? null : state
    let isStrange = onlyRemoved === null
    const isKnown = async ({ items, meta: { serverTime } }: Fetched) => {
      const ids = idTextsOn({ items }, definition)
      for (const id of ids) this.#shown.add(`${definition.name} ${id}`)
      if (onlyRemoved !== null) {
        const isOld = isOldBy(onlyRemoved, { now: clock.now(), serverTime })
        isStrange ||= items.some((item) => isOld(createdAtOf(item.ok ? item.record : item.raw)))
      }
      return (await store.identifyingKeys(this.#tenantId, definition.name, ids)) > 0
    }
    const found = await this.#search(definition, isKnown, mostPages)
    if (found === undefined && onlyRemoved === null) this.#emptyList = definition.kind !== 'pagedList'
    return found === false && !isStrange ? undefined : found
  }

  /** For a first contact: the list of API clients always contains the requesting client (docs/internals/api.md#api-client). */
  async #decideByOwnClient(): Promise<Evidence> {
    for (const definition of enabledResources(this.#context)) {
      const own = ownIdOn(this.#context, definition)
      if (own === null) continue
      const seen = new Set<string>()
      const isListed = async (fetched: Fetched) => {
        const ids = idTextsOn(fetched, definition)
        if (ids.length > 0 && ids.every((id) => seen.has(id))) throw cursorIgnored(definition)
        for (const id of ids) seen.add(id)
        return seen.has(own)
      }
      const found = await this.#attempt(definition, () => this.#search(definition, isListed))
      if (this.#failure !== undefined) throw this.#failure
      return this.#evidence(found === true ? 'match' : 'ownClientMissing')
    }
    return this.#evidence('nothing')
  }

  /** True for a match, false for unknown records, undefined without a proof. Notes the cause. */
  async #attempt(definition: ResourceDefinition, look: () => Promise<boolean | undefined>) {
    try {
      const found = await look()
      if (found === false) this.#strange.push(definition)
      return found
    } catch (error) {
      const reason = reasonOf(error)
      if (reason === 'aborted') throw error
      const message = `Nothing proves whose data these are: the token lacks the permission ${definition.permission}`
      const hint = `Grant it, or switch off the lists that the token may not read, which then do not count for the identity (resources.${definition.name}.enabled: false)`
      if (reason === 'missing_permission') this.#failure ??= new SyncError(reason, message, { cause: error, hint })
      // Any other failure may end by itself.
      else if (this.#failure === undefined || reasonOf(this.#failure) === 'missing_permission') this.#failure = error
      return undefined
    }
  }

  /** True if a page satisfies `decides`; undefined for an empty list. */
  async #search(
    definition: ResourceDefinition,
    decides: (fetched: Fetched) => Promise<boolean>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<boolean | undefined> {
    const { store, settings } = this.#context
    const rules = pageRules(settings.api.maxPages)
    let cursor: string | null = null
    let records = 0
    for (let page = 0; page < most; page++) {
      const fetched: Fetched = page === 0 ? await this.#firstPage(definition) : await this.#fetch(definition, cursor)
      records += fetched.items.length
      if (await decides(fetched)) return true
      if (!fetched.hasMore) break
      rules.check(fetched, cursor)
      cursor = fetched.nextCursor
    }
    this.#records += records
    if (records > 0) return false
    if (definition.kind !== 'pagedList') return undefined
    const { emptyAccepted } = await store.syncState(this.#tenantId, definition.name)
    if (emptyAccepted === 'list') return undefined
    throw await suspectEmpty({ context: this.#context, tenantId: this.#tenantId, definition }, emptyList)
  }

  /** An empty list of API clients may mean "could not be completed", so it is requested again. */
  async #firstPage(definition: ResourceDefinition): Promise<Fetched> {
    const { clock, store } = this.#context
    const given = this.#given.find((page) => page.definition === definition)
    // The evidence is of the credential of the last page that counts.
    if (given !== undefined) this.#answered = given.fetched.meta
    let fetched = given?.fetched ?? (await this.#fetch(definition, null))
    const isEmpty = () => fetched.items.length === 0 && !fetched.hasMore
    if (definition.kind !== 'pagedList' || !isEmpty()) return fetched
    const { emptyAccepted } = await store.syncState(this.#tenantId, definition.name)
    for (const delay of emptyAccepted === 'list' ? [] : repeatDelaysMs) {
      await clock.sleep(delay, this.#signal)
      fetched = await this.#fetch(definition, null)
      if (!isEmpty()) break
    }
    return fetched
  }

  async #fetch(definition: ResourceDefinition, cursor: string | null): Promise<Fetched> {
    const fetched = await this.#context.reader.fetch(definition, queryAt(cursor), this.#signal)
    this.#answered = fetched.meta
    return fetched
  }

  #evidence(outcome: Evidence['outcome']): Evidence {
    const answered = this.#answered ?? this.#given[0]?.fetched.meta ?? null
    return { outcome, answered, records: this.#records, strange: this.#strange, shown: this.#shown }
  }
}

/** Proves the identity by GUIDs (docs/internals/sync.md#8-tenant-identity); throws if no list decides and one could not be read. */
export function readEvidence(
  context: TenantContext,
  tenantId: number,
  given: readonly GivenPage[],
  signal: AbortSignal,
): Promise<Evidence> {
  return new Proof(context, tenantId, given, signal).read()
}

export function mismatchMessage({ strange }: Evidence): string {
  const names = strange.map(({ name }) => name.replaceAll('-', ' ').replace(/^api\b/, 'API'))
  const lists = names.length === 0 ? 'read from the tenant' : `in the lists of ${names.join(' and ')} that were read`
  return `None of the ids ${lists} is in the mirror: it may be another tenant, or all API clients were rotated at once`
}

export function movedMessage({ name, baseUrl }: Pick<TenantRow, 'name' | 'baseUrl'>, now: string) {
  return `The mirror of "${name}" comes from ${baseUrl}, not from ${now}`
}

export function ownClientMissingMessage({ ownClientId }: Pick<TenantSettings, 'ownClientId'>): string {
  return `The list of API clients does not contain ownClientId ${ownClientId}: the token is another client's, perhaps another tenant's`
}

/** Most ids stored with a hold, to recognize its tenant. */
const mostIds = 200

/** Resources to sync in full after another tenant was accepted under this credential; null if none was. */
export function acceptedChange(
  { changeAccepted, acceptedCredential }: Pick<TenantRow, 'acceptedCredential' | 'changeAccepted'>,
  answered: Answered | null,
): readonly string[] | null {
  return answered?.credential === acceptedCredential ? changeAccepted : null
}

/** True until a list with GUIDs of the accepted tenant is mirrored; from then on its ids prove the identity. */
export async function awaitsAccepted(
  context: TenantContext,
  tenantId: number,
  owed: readonly string[],
): Promise<boolean> {
  const lists = await identifyingLists(context, tenantId)
  return lists.every(({ definition }) => owed.includes(definition.name))
}

/** Ids for the cause of a hold, sorted, because the order of answers may vary. */
export function idsOf({ shown }: Evidence): readonly string[] {
  return [...shown].sort().slice(0, mostIds)
}

/** True when a list that was read then and now has none of those ids: the data are a third tenant's. */
export function isOther({ strange, shown }: Pick<Evidence, 'shown' | 'strange'>, ids: readonly string[]): boolean {
  const comparable = ids.filter((id) => strange.some(({ name }) => id.startsWith(`${name} `)))
  return comparable.length > 0 && !comparable.some((id) => shown.has(id))
}
