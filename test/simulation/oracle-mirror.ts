import type { ResourceName } from '../../src/model/resource-names.ts'
import type { Machine } from './machine.ts'
import type { Oracle, OracleParts } from './oracle.ts'
import { foreignGuids, foreignIds } from './populate.ts'
import type { Feed } from './readings.ts'

/** Where records lie: table and the column that names them. */
export const tables: readonly (readonly [resource: ResourceName, table: string, key: string])[] = [
  ['api-clients', 'api_clients', 'client_key'],
  ['documents', 'documents', 'file_key'],
  ['permissions', 'permissions', 'permission_id'],
  ['roles', 'roles', 'role_id'],
  ['users', 'users', 'user_id'],
]

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

export function keysOf(machine: Machine, resource: ResourceName): string[] {
  const [, table, key] = tables.find(([name]) => name === resource) ?? []
  return machine.query(`select ${key} as key from ${table}`).map((row) => String(row['key']))
}

export function quarantinedKeys(machine: Machine, resource: ResourceName): string[] {
  return machine.query('select key from quarantine where resource = ?', resource).map((row) => String(row['key']))
}

/** A tombstone needs the proof that its resource demands (docs/internals/sync.md#5-removal); a row never goes without one. */
export function checkRemovals(oracle: Oracle, parts: OracleParts, memory: MirrorMemory): void {
  const { machine } = parts
  for (const [resource, table, key] of tables) {
    const [total] = machine.query(`select count(*) as n from ${table}`)
    const rows = Number(total?.['n'])
    if (rows < (memory.rows.get(table) ?? 0)) oracle.report('wrong_tombstone', `Rows of ${table} are gone for good`)
    memory.rows.set(table, rows)
    const tombstoned = machine.query(
      `select ${key} as key, removed_at as at from ${table} where removed_at is not null`,
    )
    for (const row of tombstoned) {
      const id = String(row['key'])
      const at = Number(row['at'])
      if (memory.tombstones.get(`${resource} ${id}`) === at) continue
      memory.tombstones.set(`${resource} ${id}`, at)
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
  // with offset cursors a removal elsewhere can make one full sync pass a row over.
  const isStrict = !oracle.accepts && readings.cursorKind === 'keyset'
  const [from, to] = oracle.fullSyncs.before(resource)
  const wasGone = world.wasAbsent(resource, id, from, isStrict ? to : oracle.now)
  return wasGone ? null : 'it was there in the first of the last two full syncs'
}

export function isForeign(id: string): boolean {
  return id.startsWith(foreignGuids) || (/^\d+$/.test(id) && Number(id) > foreignIds)
}

/** No record of another tenant ever gets in: its pages differ in every id, and its token is a changed one. */
export function checkForeign(oracle: Oracle, { machine }: OracleParts, memory: MirrorMemory): void {
  let foreign = 0
  for (const [, table, key] of tables) {
    const where = key.endsWith('_key') ? `${key} like '${foreignGuids}%'` : `${key} > ${foreignIds}`
    const [row] = machine.query(`select count(*) as n from ${table} where ${where}`)
    foreign += Number(row?.['n'])
  }
  foreign += machine
    .query('select key from quarantine order by resource, key')
    .filter(({ key }) => isForeign(String(key))).length
  const [settings] = machine.query(`select count(*) as n from authentication_settings where tenant_name = 'other'`)
  foreign += Number(settings?.['n'])
  if (foreign > memory.foreignRows) oracle.report('foreign_data', `${foreign} records are another tenant's`)
  memory.foreignRows = foreign
}
