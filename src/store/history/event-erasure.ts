import type { Db, Sql } from '../db/db.ts'
import {
  type EventKind,
  eventAppender,
  findingKinds,
  type LastErasure,
  lastErasure,
  listOfKinds,
  recordKinds,
  recordSubjects,
  sharedChain,
  termsKinds,
} from '../event-store.ts'
import { recordShapes } from '../records/record-shape.ts'

/** Times are in milliseconds since the epoch. */
export interface EventErasure {
  /** Earliest and latest time before which a tenant's events are erased; each tenant has its own (`erase_before`). */
  readonly earliest: number
  readonly latest: number
  /** Confirmed time; events dated later were written under a wrong clock. */
  readonly now: number
  /** Local time. */
  readonly at: number
}

const due = '(select erase_before from tenants t where t.id = e.tenant_id)'
const isOf = (kinds: readonly EventKind[]) => `e.kind in (${listOfKinds(kinds)})`
const isGone = 'not exists (select 1 from findings f where f.fingerprint = e.subject)'

/** True after a later event of the subject that is old, too: the state of the retained time stays. */
const isSuperseded = (kinds: readonly EventKind[], time: string, subject = 'e.subject') =>
  `exists (select 1 from events n where n.tenant_id = e.tenant_id and n.kind in (${listOfKinds(kinds)})
     and n.subject = ${subject} and n.id > e.id and n.id < @keptFrom and n.at < ${time})`

/** Changes of the settings stay, because drift is measured from the state before the first one. */
const isOfSettings = Object.values(recordShapes)
  .filter(({ idField }) => idField === null)
  .map(({ resource }) => recordSubjects(resource))
  .map(([first, end]) => `e.subject between '${first}' and '${end}'`)
  .join(' or ')

/** Conditions on events `e` of tenants that are old; each is erased. */
function erasable(db: Db): readonly string[] {
  const waiver = db.dialect.jsonMember('e.data', 'waiver')
  const states = [findingKinds, ['result'], ['tenant.state'], termsKinds] as const
  return [
    `${isOf(recordKinds)} and not (${isOfSettings})`,
    ...states.map((kinds) => `${isOf(kinds)} and ${isSuperseded(kinds, due)}`),
    `${isOf(findingKinds)} and ${isGone}`,
    `e.kind = 'waiver.lapsed' and (${isSuperseded(termsKinds, due, waiver)} or ${isGone})`,
  ]
}

/**
 * Empties events (docs/evidence.md#proof-against-changes) except those that are still in force, and deletes findings that
 * ended. Events are dated by the local clock, which may have been wrong: those written after one of the retained time stay.
 * Call inside a transaction.
 */
export async function eraseEvents(tx: Sql, db: Db, { earliest, latest, now, at }: EventErasure): Promise<void> {
  const last = await lastErasure(tx)
  // The plus signs prevent SQLite from using the index on the time: the first matching event by id is near.
  const firstKept = 'select id from events where id >= ? and +at >= ? and +at <= ? order by id limit 1'
  const [first = null] = await tx<number>(firstKept, [last?.keptFrom ?? 0, latest, now], 'values')
  const bounds = { earliest, latest, keptFrom: first ?? Number.MAX_SAFE_INTEGER }
  await tx(
    `delete from findings where resolved_at < @latest
       and resolved_at < (select erase_before from tenants t where t.id = findings.tenant_id)
       and not exists (select 1 from events n where n.tenant_id = findings.tenant_id
         and n.kind in (${listOfKinds(findingKinds)}) and n.subject = findings.fingerprint and n.id >= @keptFrom)`,
    [bounds],
  )
  const erase = (condition: string) =>
    tx(
      `update events set data = null, request_id = null where id in (select e.id from events e
         where e.data is not null and e.at < @latest and e.id < @keptFrom and ${condition})`,
      [bounds],
    )
  for (const condition of erasable(db)) await erase(`e.at < ${due} and ${condition}`)
  await erase(
    `e.tenant_id = ${sharedChain} and e.kind = 'configuration' and e.at < @earliest
       and ${isSuperseded(['configuration'], '@earliest')}`,
  )
  if (last !== null && last.before >= latest) return
  const data: LastErasure = { before: latest, keptFrom: first ?? 0 }
  await eventAppender(db)(tx, sharedChain, [{ kind: 'history.erased', subject: '', at, data }])
}
