import { getTableColumns, getTableName } from 'drizzle-orm'
import { dayMs } from '../../model/time.ts'
import { type Db, type Sql, writeWhereDue } from '../db/db.ts'
import { appendEvents, lastErasure, recordSubjects } from '../event-store.ts'
import {
  type EventKind,
  findingKinds,
  type LastErasure,
  listOfKinds,
  recordKinds,
  termsKinds,
  waiverKinds,
  waiverMoves,
} from '../events.ts'
import { recordShapes } from '../records/record-shape.ts'
import { selectRows, upsertRow } from '../rows.ts'
import * as schema from '../schema/index.ts'
import { eventChains } from '../schema/index.ts'

/** Times are in milliseconds since the epoch. */
export interface Erasure {
  /** Whose data; 0 = the shared chain. */
  readonly tenantId: number
  /** What ended earlier is erased, except states still in effect then. */
  readonly before: number
  /** The latest of the clocks that count. */
  readonly latest: number
  /** Local time. */
  readonly at: number
}

const dependent = ['delete from full_sync_pages where full_sync_id in (select id from full_syncs where tenant_id = ?)']

const own = Object.values(schema)
  .filter((table) => Object.values(getTableColumns(table)).some(({ name }) => name === 'tenant_id'))
  .map((table) => `delete from "${getTableName(table)}" where tenant_id = ?`)

export function erasureStore(db: Db) {
  const waiver = db.dialect.jsonMember('e.data', 'waiver')
  /** Conditions on old events `e`; each is erased. */
  const erasable = [
    `${isOf(recordKinds)} and not (${isOfSettings})`,
    ...states.map(([kinds, later]) => `${isOf(kinds)} and ${isSuperseded(later)}`),
    `${isOf(findingKinds)} and ${isGone}`,
    `e.kind = 'waiver.lapsed' and (${isSuperseded(termsKinds, waiver)} or ${isGone})`,
  ]

  /** Empties events (docs/evidence.md#proof-against-changes) except those still in force, and deletes findings that ended. */
  async function eraseEvents(tx: Sql, { tenantId, before }: Erasure): Promise<void> {
    await tx(
      `delete from findings where tenant_id = @tenantId and resolved_at < @before and not exists (select 1 from events n
         where n.tenant_id = findings.tenant_id and n.kind in (${listOfKinds(findingKinds)})
           and n.subject = findings.fingerprint and n.at >= @before)`,
      [{ tenantId, before }],
    )
    for (const condition of erasable)
      await tx(
        `update events set data = null, request_id = null where id in (select e.id from events e
           where e.tenant_id = @tenantId and e.data is not null and e.at < @before and ${condition})`,
        [{ tenantId, before }],
      )
  }

  return {
    /** Erases personal fields, history and runs of a tenant after their retention, once a day (docs/internals/sync.md#18-history). */
    eraseOutdated: (erasure: Erasure): Promise<void> =>
      writeWhereDue(db, async (tx) => {
        const { tenantId, before, latest, at } = erasure
        // A clock that was behind at first dated rows too early: so nothing is erased before the mirror itself is as old
        // as the retention, counted from the first time that a server confirmed. An earlier time corrects one too late.
        const [chain] = await selectRows(tx, eventChains, 'where tenant_id = ?', [tenantId])
        const from = chain?.confirmedFrom ?? null
        if (from === null || latest < from)
          return (tx) => upsertRow(tx, eventChains, { tenantId, confirmedFrom: Math.round(latest) })
        const last = await lastErasure(tx, tenantId)
        if (before <= from || (last !== null && Math.abs(at - last.at) < dayMs)) return null
        return async (tx) => {
          await eraseEvents(tx, erasure)
          for (const text of outdated) await tx(text, [erasure])
          const data: LastErasure = { before: Math.max(before, last?.before ?? before) }
          await appendEvents(tx, tenantId, [{ kind: 'history.erased', subject: '', at, data }])
        }
      }),
    purgeTenant: (tenantId: number): Promise<void> =>
      db.write(async (tx) => {
        for (const text of [...dependent, ...own, 'delete from tenants where id = ?']) await tx(text, [tenantId])
      }),
    /** Names of tenants with data due for erasure: findings resolved, or named records removed, before `before`. */
    overdueErasure: (before: number): Promise<readonly string[]> =>
      db.read((tx) => {
        const resolved = 'exists (select 1 from findings where tenant_id = t.id and resolved_at < @before)'
        const named = `exists (select 1 from records where tenant_id = t.id and removed_at < @before and body is not null)`
        const isOverdue = `${resolved} or ${named}`
        return tx<string>(`select name from tenants t where ${isOverdue} order by name`, [{ before }], 'values')
      }),
  }
}

const isOf = (kinds: readonly EventKind[]) => `e.kind in (${listOfKinds(kinds)})`
const isGone = 'not exists (select 1 from findings f where f.fingerprint = e.subject)'

/** Kinds of states, and those of the later events that replace them. */
const states: readonly (readonly [kinds: readonly EventKind[], later: readonly EventKind[]])[] = [
  [findingKinds, findingKinds],
  [['result'], ['result']],
  [['tenant.state'], ['tenant.state']],
  [termsKinds, termsKinds],
  [waiverMoves, waiverKinds],
  [['configuration'], ['configuration']],
]

/** Of which some events are erased; those of others never are. */
export const erasableKinds: ReadonlySet<EventKind> = new Set([
  ...[...recordKinds, 'waiver.lapsed' as const],
  ...states.flatMap(([kinds]) => kinds),
])

/** True after a later event of the subject that is old, too: the state of the retained time stays. */
const isSuperseded = (kinds: readonly EventKind[], subject = 'e.subject') =>
  `exists (select 1 from events n where n.tenant_id = e.tenant_id and n.kind in (${listOfKinds(kinds)})
     and n.subject = ${subject} and n.id > e.id and n.at < @before)`

/** Changes of the settings stay, because drift is measured from the state before the first one. */
const isOfSettings = Object.values(recordShapes)
  .filter(({ idField }) => idField === null)
  .map(({ resource }) => recordSubjects(resource))
  .map(([first, end]) => `e.subject between '${first}' and '${end}'`)
  .join(' or ')

/** Conditions on old events `e`, which are never erased. The last event of an erased finding is its resolution. */
export const unerasable = [
  `${isOf(recordKinds)} and (${isOfSettings})`,
  ...states.map(([kinds, later]) => `${isOf(kinds)} and e.kind <> 'finding.resolved' and not ${isSuperseded(later)}`),
]

/** Erases what is not in the history. */
const outdated = [
  // Keeps the last run of each resource before that time.
  `delete from runs where tenant_id = @tenantId and ended_at < @before and id not in
     (select max(id) from runs where tenant_id = @tenantId and ended_at < @before group by resource)`,
  // Problems of checks that are no longer evaluated may quote a person or a file.
  `update check_states set problem = null
     where tenant_id = @tenantId and problem is not null and evaluated_at < @before`,
  'update sync_states set version = version + 1 where tenant_id = @tenantId',
  // Else a removal under a clock that was ahead would keep its names until then.
  'update records set removed_at = @latest where tenant_id = @tenantId and removed_at > @latest',
  // Names of removed records, once the history no longer contains the removal.
  `update records set body = null, supplement = null, raw = null
     where tenant_id = @tenantId and removed_at < @before and body is not null
       and not exists (select 1 from events e where e.tenant_id = @tenantId and e.kind = 'record.removed'
         and e.subject = records.resource || '/' || records.key and e.data is not null)`,
]
