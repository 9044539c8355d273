import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import {
  eventAppender,
  findingKinds,
  listOfKinds,
  recordKinds,
  recordSubjects,
  sharedChain,
  termsKinds,
} from '../event-store.ts'
import { recordShapes } from '../records/record-shape.ts'
import { fromJson } from '../words.ts'
import { changesIn, recordEventColumns, type StoredRecordEvent } from './changes.ts'

/** Kinds of which the last event of a subject is in force. */
const states = [findingKinds, ['result'], ['tenant.state'], termsKinds] as const

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

interface LastErasure {
  readonly before: number
  readonly keptFrom: number
}

const due = '(select erase_before from tenants t where t.id = e.tenant_id)'

/**
 * Empties events (docs/evidence.md#proof-against-changes) except those that are still in force, and deletes findings that
 * ended. Events are dated by the local clock, which may have been wrong: those written after one of the retained time stay.
 * Call inside a transaction.
 */
export function eventErasure(database: Database) {
  const append = eventAppender(database)
  const last = database.prepareValues<[], string>(
    `select data from events where tenant_id = ${sharedChain} and kind = 'history.erased' and subject = '' order by id desc limit 1`,
  )
  // The plus signs prevent SQLite from using the index on the time: the first matching event by id is near.
  const firstKept = database.prepareValues<[number, number, number], number>(
    'select id from events where id >= ? and +at >= ? and +at <= ? order by id limit 1',
  )
  const isOld = 'e.data is not null and e.at < @latest and e.id < @keptFrom'
  const isDue = `${isOld} and e.at < ${due}`
  const isSuperseded = (
    kinds: readonly string[],
    time: string,
    subject = 'e.subject',
  ) => `exists (select 1 from events n
    where n.tenant_id = e.tenant_id and n.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}) and n.subject = ${subject}
      and n.id > e.id and n.id < @keptFrom and n.at < ${time})`
  const erase = (condition: string) =>
    database.prepare<[object]>(
      `update events set data = null, request_id = null where id in (select e.id from events e where ${condition})`,
    )
  const isOf = (kinds: readonly string[]) => `e.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`
  const isGone = (fingerprint: string) => `not exists (select 1 from findings f where f.fingerprint = ${fingerprint})`
  const waiver = database.sql.jsonMember('e.data', 'waiver', 'text')
  const singletons = Object.values(recordShapes).filter(({ idField }) => idField === null)
  const isOfSingleton = singletons.map(({ resource }) => {
    const [first, end] = recordSubjects(resource)
    return `e.subject between '${first}' and '${end}'`
  })
  const statements = [
    database.prepare<[object]>(
      `delete from findings where resolved_at < @latest
         and resolved_at < (select erase_before from tenants t where t.id = findings.tenant_id)
         and not exists (select 1 from events n where n.tenant_id = findings.tenant_id
           and n.kind in (${listOfKinds(findingKinds)}) and n.subject = findings.fingerprint and n.id >= @keptFrom)`,
    ),
    erase(`${isDue} and ${isOf(recordKinds)} and not (${isOfSingleton.join(' or ')})`),
    ...states.map((kinds) => erase(`${isDue} and ${isOf(kinds)} and ${isSuperseded(kinds, due)}`)),
    erase(`${isDue} and ${isOf(findingKinds)} and ${isGone('e.subject')}`),
    erase(
      `${isDue} and e.kind = 'waiver.lapsed' and (${isSuperseded(termsKinds, due, waiver)} or ${isGone('e.subject')})`,
    ),
    erase(
      `${isOld} and e.tenant_id = ${sharedChain} and e.kind = 'configuration' and e.at < @earliest
         and ${isSuperseded(['configuration'], '@earliest')}`,
    ),
  ]
  const ofSingletons = database.prepare<
    [],
    StoredRecordEvent & { readonly tenantId: number; readonly eraseBefore: number | null }
  >(
    `select ${recordEventColumns('e')}, t.id as "tenantId", t.erase_before as "eraseBefore" from tenants t
     join events e on e.tenant_id = t.id and ${isOf(recordKinds)} and (${isOfSingleton.join(' or ')})
     where e.data is not null order by +e.id`,
  )
  const eraseOne = database.prepare<[number]>('update events set data = null, request_id = null where id = ?')

  /** Keeps the first change of each field, because drift is measured from the state before it. */
  async function eraseSingletons(tx: Sql, keptFrom: number): Promise<void> {
    const known = new Set<string>()
    for (const event of await ofSingletons.all(tx)) {
      const fields = changesIn(event).map(({ resource, field }) => `${event.tenantId} ${resource} ${field}`)
      const isFirst = fields.some((field) => !known.has(field))
      for (const field of fields) known.add(field)
      if (!isFirst && event.id < keptFrom && event.at < (event.eraseBefore ?? 0)) await eraseOne.run(tx, event.id)
    }
  }

  return async (tx: Sql, { earliest, latest, now, at }: EventErasure): Promise<void> => {
    const found = await last.get(tx)
    const { before, keptFrom: from = 0 }: Partial<LastErasure> =
      found === undefined ? {} : (fromJson(found) as LastErasure)
    const first = await firstKept.get(tx, from, latest, now)
    const keptFrom = first ?? Number.MAX_SAFE_INTEGER
    for (const statement of statements) await statement.run(tx, { earliest, latest, keptFrom })
    await eraseSingletons(tx, keptFrom)
    if (before !== undefined && before >= latest) return
    const data: LastErasure = { before: latest, keptFrom: first ?? 0 }
    await append(tx, sharedChain, [{ kind: 'history.erased', subject: '', at, data }])
  }
}
