import { guidKey } from '../../model/guid.ts'
import type { Db, Sql } from '../db/db.ts'
import {
  type AsOf,
  appendEvents,
  lastEvent,
  lastEventOf,
  type NewEvent,
  present,
  type StoredEvent,
} from '../event-store.ts'
import {
  listOfKinds,
  termsKinds,
  type WaiverLapseFacts,
  type WaiverTermsFacts,
  waiverKinds,
  type waiverMoves,
} from '../events.ts'
import { fromJson } from '../rows.ts'

/** A waiver in the history. Times are milliseconds since the epoch. */
export interface NotedWaiver extends WaiverTermsFacts {
  readonly id: string
  readonly since: number
}

export interface StoredWaiver extends NotedWaiver {
  readonly isWithdrawn: boolean
  /** Id of the event by which its terms came into force. */
  readonly agreedBy: number
  /** It never covered a finding that was first seen later. */
  readonly coversUntil: number
}

/** True if it covers nothing at a time, because it was withdrawn or has expired. */
export function hasEnded({ isWithdrawn, expiresAt }: StoredWaiver, at: number): boolean {
  return isWithdrawn || at > expiresAt
}

/** A waiver no longer covers a finding, because accepted facts changed. */
export interface WaiverLapse extends WaiverLapseFacts {
  readonly fingerprint: string
}

export interface Lapse extends Pick<WaiverLapseFacts, 'accepted' | 'changed' | 'terms' | 'waiver'> {
  readonly lapsedAt: number
}

/** Decisions of operators about findings. */
export function waiverStore(db: Db) {
  return {
    /** Waivers stay after their removal from the configuration, so that adding them again does not renew them. */
    notedWaivers: (tenantId: number): Promise<readonly StoredWaiver[]> => db.read((tx) => readWaivers(tx, tenantId)),
    /** Stores a new or renewed waiver; earlier lapses end. */
    agreeWaiver: (tenantId: number, { id, since, ...data }: NotedWaiver): Promise<void> =>
      db.write(async (tx) => {
        const before = await lastEvent(tx, tenantId, 'waiver.agreed', { subject: id })
        const kind = before === undefined ? 'waiver.agreed' : 'waiver.renewed'
        await appendEvents(tx, tenantId, [{ kind, subject: id, at: since, data }])
      }),
    /** Notes that a waiver left the configuration, or came back with the same terms, which renews nothing. */
    moveWaiver: (
      tenantId: number,
      kind: (typeof waiverMoves)[number],
      { id, since: at, ...data }: NotedWaiver,
    ): Promise<void> => db.write((tx) => appendEvents(tx, tenantId, [{ kind, subject: id, at, data }])),
    /** Those of these lapses that are not stored yet. */
    newLapses: (tenantId: number, lapses: readonly WaiverLapse[]): Promise<readonly WaiverLapse[]> =>
      db.read((tx) => newLapses(tx, tenantId, lapses)),
    /**
     * By fingerprint of a finding without a row, the last event after which its id may be of another entity: the
     * resolution of an erased finding, or the acceptance of another tenant. 0 = none.
     */
    async endedEntities(tenantId: number, fingerprints: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (fingerprints.length === 0) return new Map()
      const { bindRows, givenRows, jsonMember } = db.dialect
      const columns = { fingerprint: 'text' } as const
      const text = `select fingerprint, ${lastEventOf(['finding.resolved'], '@tenantId', 'fingerprint')} as resolved,
          (select max(+id) from events where tenant_id = @tenantId and kind = 'hold.applied'
             and ${jsonMember('data', 'tenant')} is not null) as accepted
        from ${givenRows(columns)}`
      const rows = fingerprints.map((fingerprint) => ({ fingerprint }))
      const params = [{ tenantId, ...bindRows(columns, rows) }]
      type Ended = Record<'accepted' | 'resolved', number | null> & { readonly fingerprint: string }
      const found = await db.read((tx) => tx<Ended>(text, params))
      return new Map(found.map((one) => [one.fingerprint, Math.max(one.resolved ?? 0, one.accepted ?? 0)]))
    },
  }
}

/** In the order in which they were first agreed. */
async function readWaivers(sql: Sql, tenantId: number): Promise<readonly StoredWaiver[]> {
  const text = `select id as event, at, kind, subject, data from events
    where tenant_id = ? and kind in (${listOfKinds(waiverKinds)}) and data is not null order by +id`
  type Row = Pick<StoredEvent, 'at' | 'kind' | 'subject'> & { readonly event: number; readonly data: string }
  const waivers = new Map<string, StoredWaiver>()
  for (const { event, at: since, kind, subject: id, data } of await sql<Row>(text, [tenantId])) {
    const terms = fromJson(data) as WaiverTermsFacts
    const agreed = { agreedBy: event, coversUntil: Math.max(since, terms.expiresAt) }
    const { agreedBy, coversUntil } = termsKinds.some((one) => one === kind) ? agreed : (waivers.get(id) ?? agreed)
    waivers.set(id, { ...terms, id, since, isWithdrawn: kind === 'waiver.withdrawn', agreedBy, coversUntil })
  }
  return [...waivers.values()]
}

async function newLapses(sql: Sql, tenantId: number, lapses: readonly WaiverLapse[]): Promise<readonly WaiverLapse[]> {
  const findings = lapses.map(({ fingerprint }) => ({ fingerprint, tenantId }))
  const stored = await readLapses(sql, present, findings)
  return lapses.filter(({ fingerprint, waiver }) => {
    return stored.get(fingerprint)?.some((one) => one.waiver === waiver) !== true
  })
}

/** Stores that waivers no longer cover these findings. Run inside a transaction. */
export function lapseWaivers(sql: Sql, tenantId: number, at: number, lapses: readonly WaiverLapse[]): Promise<void> {
  const events = lapses.map(
    ({ fingerprint: subject, ...data }): NewEvent => ({ kind: 'waiver.lapsed', subject, at, data }),
  )
  return appendEvents(sql, tenantId, events)
}

/** Lapses all waivers after another tenant was accepted, where the same ids are different entities. */
export async function lapseAllWaivers(sql: Sql, tenantId: number, at: number): Promise<void> {
  const text = `select fingerprint, entity_id as entity from findings where tenant_id = @tenantId and "check" = @check
    and (first_seen_at <= @coversUntil or @at <= @expiresAt) and (@entity = '*' or entity_id in (@entity, @key)) order by id`
  const changed = JSON.stringify({ tenant: 'accepted as another one' })
  for (const stored of await readWaivers(sql, tenantId)) {
    const { id: waiver, check, terms, entity, coversUntil, expiresAt } = stored
    const scope = { tenantId, check, entity, coversUntil, expiresAt, at, key: guidKey(entity) }
    const rows = await sql<Pick<WaiverLapse, 'entity' | 'fingerprint'>>(text, [scope])
    const ended = hasEnded(stored, at)
    const lapses = rows.map((row) => ({ waiver, check, terms, accepted: '{}', changed, ended, ...row }))
    await lapseWaivers(sql, tenantId, at, await newLapses(sql, tenantId, lapses))
  }
}

/** The fingerprints of findings that a waiver no longer covered at some time. */
export const lapsedFingerprints = (tenantIds: string, asOf: AsOf) =>
  `select l.subject from events l where l.kind = 'waiver.lapsed' and ${tenantIds} and l.data is not null and ${asOf.events('l')}`

/** Which waivers have lapsed for findings, under the terms in force; by fingerprint. */
export async function readLapses(
  sql: Sql,
  asOf: AsOf,
  findings: readonly { readonly fingerprint: string; readonly tenantId: number }[],
): Promise<ReadonlyMap<string, readonly Lapse[]>> {
  const { isIn, jsonMember } = sql.dialect
  const text = `select e.subject as fingerprint, e.at, e.data from events e where ${isIn('e.tenant_id')} and e.kind = 'waiver.lapsed'
      and ${isIn('e.subject')} and e.data is not null and ${asOf.events('e')}
      and not exists (select 1 from events n where n.tenant_id = e.tenant_id and n.kind in (${listOfKinds(termsKinds)})
        and n.subject = ${jsonMember('e.data', 'waiver')} and n.id > e.id and ${asOf.events('n')})
    order by +e.id`
  const tenantIds = [...new Set(findings.map(({ tenantId }) => tenantId))]
  const fingerprints = findings.map(({ fingerprint }) => fingerprint)
  const rows = await sql<{ readonly fingerprint: string; readonly at: number; readonly data: string }>(text, [
    tenantIds,
    fingerprints,
  ])
  const lapses = new Map<string, Lapse[]>()
  for (const { fingerprint, at, data } of rows) {
    const { waiver, terms, accepted, changed } = fromJson(data) as WaiverLapseFacts
    const lapse = { waiver, terms, lapsedAt: at, accepted, changed }
    lapses.set(fingerprint, [...(lapses.get(fingerprint) ?? []), lapse])
  }
  return lapses
}
