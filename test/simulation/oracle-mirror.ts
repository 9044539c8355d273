import type { ResourceName } from '../../src/model/resource-names.ts'
import { dayMs } from '../../src/model/time.ts'
import type { Machine } from './machine.ts'
import type { Oracle, OracleParts } from './oracle.ts'
import { foreignGuids, foreignIds } from './populate.ts'
import type { Feed } from './readings.ts'
import { allForms, comparable, worldResources } from './world.ts'

export interface ResolvedFinding {
  readonly check: string
  readonly entityId: string
  readonly resolution: string
  /** Wall time. */
  readonly at: number
  /** When the record was created that it was about; null where the evidence does not name it. */
  readonly createdAt: string | null
}

/** The earlier state of the mirror, as the oracle read it. */
export class MirrorMemory {
  readonly tombstones = new Map<string, number>()
  readonly rows = new Map<string, number>()
  readonly cursors = new Map<Feed, string>()
  foreignRows = 0
  #lastEvent = 0

  newResolutions(machine: Machine): readonly ResolvedFinding[] {
    const rows = machine.query(
      `select e.id, e.at, e.data ->> '$.resolution' as resolution, f."check", f.entity_id as entityId,
         e.data ->> '$.evidence.identity.createdAt' as createdAt
       from events e
       join findings f on f.fingerprint = e.subject where e.kind = 'finding.resolved' and e.id > ? order by e.id`,
      this.#lastEvent,
    )
    this.#lastEvent = Number(rows.at(-1)?.['id'] ?? this.#lastEvent)
    return rows as unknown as ResolvedFinding[]
  }
}

/** Every record that was shown on the way to a stored cursor is known to the mirror, live, tombstoned or quarantined. */
export function checkCursors(oracle: Oracle, parts: OracleParts, memory: MirrorMemory): void {
  const { machine, cursors, world, ledger } = parts
  for (const feed of ['users', 'documents'] as const) {
    const [state] = machine.query('select cursor from sync_states where resource = ?', feed)
    const cursor = state?.['cursor']
    if (typeof cursor !== 'string' || memory.cursors.get(feed) === cursor) continue
    memory.cursors.set(feed, cursor)
    const shown = cursors.shownUpTo(cursor)
    if (shown === null) continue
    const known = new Set([...keysOf(machine, feed), ...quarantinedKeys(machine, feed)])
    const lost = [...shown].filter(
      (id) => !known.has(id) && !ledger.malformed.has(`${feed} ${id}`) && world.ids(feed).includes(id),
    )
    if (lost.length > 0) oracle.report('cursor_ahead', `The cursor of ${feed} lies behind ${lost.join(', ')}`)
  }
}

/** The records of a resource that were ever valid, with the time of their removal. */
function rowsOf(
  machine: Machine,
  resource: ResourceName,
): readonly { readonly key: string; readonly at: number | null }[] {
  const text = `select key, removed_at as at from records
    where resource = ? and (body is not null or removed_at is not null)`
  return machine.query(text, resource) as unknown as ReturnType<typeof rowsOf>
}

export function keysOf(machine: Machine, resource: ResourceName): string[] {
  return rowsOf(machine, resource).map(({ key }) => key)
}

export function quarantinedKeys(machine: Machine, resource: ResourceName): string[] {
  return machine.query('select key from quarantine where resource = ?', resource).map((row) => String(row['key']))
}

const removable = ['api-clients', 'documents', 'permissions', 'roles', 'users'] as const

/** A tombstone needs the proof that its resource demands (docs/internals/sync.md#5-removal); a row never goes without one. */
export function checkRemovals(oracle: Oracle, parts: OracleParts, memory: MirrorMemory): void {
  const { machine } = parts
  for (const resource of removable) {
    const rows = rowsOf(machine, resource)
    if (rows.length < (memory.rows.get(resource) ?? 0))
      oracle.report('wrong_tombstone', `Rows of ${resource} are gone for good`)
    memory.rows.set(resource, rows.length)
    for (const { key: id, at } of rows) {
      if (at === null) continue
      const before = memory.tombstones.get(`${resource} ${id}`)
      memory.tombstones.set(`${resource} ${id}`, at)
      // A removal under a clock that was ahead is dated earlier once that was set back.
      if (before !== undefined && before >= at) continue
      if (isForeign(id) || parts.ledger.everBled.has(`${resource} ${id}`)) continue
      const flaw = flawOfRemoval(oracle, parts, resource, id)
      if (flaw !== null) oracle.report('wrong_tombstone', `${resource} ${id} was removed although ${flaw}`)
    }
  }
}

function flawOfRemoval(oracle: Oracle, { world, ledger, readings }: OracleParts, resource: ResourceName, id: string) {
  if (resource === 'users') {
    const deniedAt = ledger.deniedAt(id)
    if (deniedAt === Number.NEGATIVE_INFINITY) return 'no look-up was answered 404'
    return world.wasAbsent('users', id, deniedAt, deniedAt) ? null : 'the 404 was another tenant’s'
  }
  const isWhole = resource === 'roles' || resource === 'permissions'
  if (isWhole) {
    const shown = !world.wasAbsent(resource, id, oracle.fullSyncs.lastSeen(resource), oracle.now)
    return shown ? 'it was there all the time' : null
  }
  // Of two full syncs that both did not show it, the earlier began before the later. An operator's word takes one full sync, and
  // with offset cursors a removal elsewhere can make one full sync pass a row over, as a server does that hides records.
  const wasHidden = ledger.hiddenSince(resource, id, oracle.now) !== null
  const isStrict = !oracle.accepts && readings.cursorKind === 'keyset' && !wasHidden
  const [from, to] = oracle.fullSyncs.before(resource)
  // The documented limit: `updatedAfter` cannot return what was never updated, where it goes by the update alone.
  const isUnasked =
    resource === 'documents' && !readings.updatedAfterNulls && world.documents.get(id)?.updatedAt === null
  if (wasHidden && isUnasked) return null
  const wasGone = world.wasAbsent(resource, id, from, isStrict ? to : oracle.now)
  return wasGone ? null : 'it was there in the first of the last two full syncs'
}

export function isForeign(id: string): boolean {
  return id.startsWith(foreignGuids) || (/^\d+$/.test(id) && Number(id) > foreignIds)
}

/** No record of another tenant ever gets in: its pages differ in every id, and its token is a changed one. */
export function checkForeign(oracle: Oracle, { machine }: OracleParts, memory: MirrorMemory): void {
  let foreign = machine.query('select key from records').filter(({ key }) => isForeign(String(key))).length
  const [settings] = machine.query(`select count(*) as n from authentication_settings where tenant_name = 'other'`)
  foreign += Number(settings?.['n'])
  if (foreign > memory.foreignRows) oracle.report('foreign_data', `${foreign} records are another tenant's`)
  memory.foreignRows = foreign
}

/** Mirrored forms that were found true, so that each is looked up once. */
export type TrueForms = Set<string>

/**
 * Every record of the mirror is one that the tenant had at some instant, whole: nothing is made up of two readings.
 * Only a user's `roleId` is of another reading than the rest, and belongs to the role name beside it
 * (docs/internals/sync.md#16-details).
 */
export async function checkRecords(oracle: Oracle, parts: OracleParts, known: TrueForms): Promise<void> {
  const { machine, ledger } = parts
  for (const resource of worldResources) {
    for await (const batch of machine.mirror.records(machine.tenantId).select(resource)) {
      for (const { key, fields, times } of batch) {
        const form = comparable(fields, times)
        const id = `${resource} ${key} ${form}`
        if (known.has(id) || ledger.malformed.has(`${resource} ${key}`) || isForeign(key)) continue
        known.add(id)
        if (!wasSo(parts, resource, key, fields, times)) {
          oracle.report('torn_record', `${resource} ${key} was never ${form}`)
        }
      }
    }
  }
}

type Fields = Readonly<Record<string, unknown>>

function wasSo(
  { world }: OracleParts,
  resource: ResourceName,
  key: string,
  { roleId, ...listed }: Fields,
  times: Readonly<Record<string, number | null>>,
): boolean {
  const forms = allForms(world, resource).flatMap(([id, fields]) => (id === key ? [fields] : []))
  if (resource !== 'users') {
    const form = comparable({ ...listed, ...(roleId === undefined ? {} : { roleId }) }, times)
    return forms.some((fields) => comparable(fields) === form)
  }
  const form = comparable(listed, times)
  const had = forms.some(({ roleId: _, ...rest }) => comparable(rest) === form)
  return (
    had && (roleId === null || forms.some((one) => one['roleId'] === roleId && one['roleName'] === listed['roleName']))
  )
}

/** `removals` of the default configuration. */
const maxCount = 5
const maxShare = 0.1

const feeds: readonly Feed[] = ['users', 'documents', 'api-clients']

interface Look {
  readonly at: number
  /** Live records before the removals that this look is the first to see. */
  readonly live: number
}

/**
 * The shrink guard as an invariant over the mirror's rows: what was removed within a day and not seen again is at most
 * five or a tenth, and of a list of two or more at most half, unless an operator accepted it
 * (docs/internals/sync.md#6-shrink-guard).
 */
export class RemovalBudget {
  readonly #looks = new Map<Feed, Look[]>()
  /** When a tombstone was first seen, in the world's time: removal times are the local clock's, which jumps. */
  readonly #removed = new Map<string, number>()
  readonly #reported = new Set<string>()

  check(oracle: Oracle, { machine, world }: OracleParts): void {
    const since = oracle.now - dayMs
    for (const feed of feeds) {
      const rows = rowsOf(machine, feed)
      const gone = rows.filter(({ at }) => at !== null).map(({ key }) => `${feed} ${key}`)
      for (const id of this.#removed.keys())
        if (id.startsWith(`${feed} `) && !gone.includes(id)) this.#removed.delete(id)
      const newlyGone = gone.filter((id) => !this.#removed.has(id))
      for (const id of newlyGone) this.#removed.set(id, oracle.now)
      if (!oracle.fullSyncs.readInFull(feed)) continue
      // A quarantined record without a live version counts like a live one.
      const known = new Set(rows.flatMap(({ key, at }) => (at === null ? [key] : [])))
      const quarantined = quarantinedKeys(machine, feed).filter((id) => !known.has(id)).length
      const looks = [
        ...(this.#looks.get(feed) ?? []),
        { at: oracle.now, live: known.size + newlyGone.length + quarantined },
      ]
      this.#looks.set(feed, looks)
      const recent = gone.filter((id) => (this.#removed.get(id) ?? 0) >= since).length
      // A list that was small a day ago is measured by all that it held since.
      const held = known.size + quarantined + recent
      const base = Math.max(held, ...looks.filter(({ at }) => at >= since).map(({ live }) => live))
      // A client that made up for a removed one may be gone by now: it is mirrored until its own removal is decided.
      const created = world.clients.all().filter(({ createdAt }) => createdAt >= since)
      const replacing = new Set(created.map(({ clientId }) => clientId.toLowerCase()))
      const rotated = feed === 'api-clients' ? [...known].filter((id) => replacing.has(id)).length : 0
      const count = recent - rotated
      const tooMany = (count > maxCount && count > base * maxShare) || (base > 1 && count > base / 2)
      if (!tooMany || oracle.accepts || this.#reported.has(feed)) continue
      this.#reported.add(feed)
      oracle.report('wrong_tombstone', `${count} of ${base} ${feed} were removed within a day and nobody accepted it`)
    }
  }
}
