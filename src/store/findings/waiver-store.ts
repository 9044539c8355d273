import { memoize } from '../../model/memoize.ts'
import { severities } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { List } from '../db/db.ts'
import type { WaiverLapseFacts } from '../event-store.ts'
import type { Acceptance, Lapse, LapseCount, LapseEvent, NotedWaiver, WaiverStore } from '../port.ts'
import { fromJson } from '../words.ts'
import { findingLog } from './finding-log.ts'
import { waiverWriter } from './waiver-writer.ts'

type Part = Pick<
  WaiverStore,
  'acceptances' | 'agreeWaiver' | 'lapseCounts' | 'lapsedUnderAll' | 'lapses' | 'lapsesAt' | 'notedWaivers'
>

/** Reads only the index `waived_findings_lapsed`; counting its ranges takes half the time of grouping rows. */
export const lapseCounting = `select n.id as waiver, n.terms, s.column1 as severity, (select count(*) from waived_findings w
    where w.tenant_id = n.tenant_id and w."check" = n."check" and w.waiver = n.id and w.terms = n.terms
      and w.open_severity = s.column1 and w.lapsed_at is not null) as count
  from waivers n cross join (values ${severities.map((severity) => `('${severity}')`).join(', ')}) s where n.tenant_id = ? and n."check" = ?`

export function waiverStore(database: Database): Part {
  const { sql } = database
  const log = findingLog(database)
  const writer = waiverWriter(database, log)
  const noted = database.prepare<[number], NotedWaiver>(
    `select id, "check", entity, entity_key as "entityKey", terms, since, expires_at as "expiresAt" from waivers
     where tenant_id = ? order by id`,
  )
  const note = database.prepare(
    `insert into waivers (tenant_id, id, "check", entity, entity_key, terms, since, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, id) do update set "check" = excluded."check", entity = excluded.entity,
       entity_key = excluded.entity_key, terms = excluded.terms, since = excluded.since, expires_at = excluded.expires_at`,
  )
  const drop = database.prepare<[number, string]>('delete from waived_findings where tenant_id = ? and waiver = ?')
  const accepted = database.prepare<[List], Acceptance>(
    `select fingerprint, waiver, facts, lapsed_at as "lapsedAt" from waived_findings where ${sql.isIn('fingerprint')}`,
  )
  const ofFindings = database.prepare<[List], Lapse>(
    `select fingerprint, waiver, terms, lapsed_at as "lapsedAt", facts as accepted, lapsed_facts as changed
     from waived_findings where ${sql.isIn('fingerprint')}
       and lapsed_at is not null and open_severity is not null`,
  )
  const lapsedAt = database.prepare<[number, number, number], { fingerprint: string; data: string }>(
    `select subject as fingerprint, data from events
     where at = ? and tenant_id = ? and kind = 'waiver.lapsed' and data is not null order by id limit ?`,
  )
  const counts = database.prepare<[number, string], LapseCount>(lapseCounting)
  const underAll = memoize((waivers: number) =>
    database.prepare<unknown[], Pick<LapseCount, 'severity' | 'count'>>(
      `select severity, count(*) as count from (
         select max(w.open_severity) as severity from (values ${sql.rowsOf(waivers, 2)}) n cross join waived_findings w
         where w.tenant_id = ? and w."check" = ? and w.waiver = n.column1 and w.terms = n.column2
           and w.lapsed_at is not null and w.open_severity is not null
         group by w.fingerprint having count(*) = ?) lapsed
       group by severity`,
    ),
  )
  return {
    notedWaivers: (tenantId) => database.read((tx) => noted.all(tx, tenantId)),
    agreeWaiver: (tenantId, waiver, acceptances) =>
      database.write('acceptances', async (tx) => {
        const { id, check, entity, entityKey, terms, since, expiresAt } = waiver
        await drop.run(tx, tenantId, id)
        await writer.add(tx, tenantId, { check, at: since }, acceptances)
        await note.run(tx, tenantId, id, check, entity, entityKey, terms, since, expiresAt)
        await log.agreed(tx, tenantId, waiver)
      }),
    acceptances: (fingerprints) => database.read((tx) => accepted.all(tx, sql.listOf(fingerprints))),
    lapses: (fingerprints) => database.read((tx) => ofFindings.all(tx, sql.listOf(fingerprints))),
    lapseCounts: (tenantId, check) => database.read((tx) => counts.all(tx, tenantId, check)),
    lapsedUnderAll: (tenantId, check, waivers) =>
      database.read((tx) => {
        const terms = waivers.flatMap((waiver) => [waiver.waiver, waiver.terms])
        return underAll(waivers.length).all(tx, ...terms, tenantId, check, waivers.length)
      }),
    lapsesAt: (tenantId, at, most) =>
      database.read(async (tx) => {
        return (await lapsedAt.all(tx, at, tenantId, most)).map(({ fingerprint, data }): LapseEvent => {
          const { waiver, check } = fromJson(data) as WaiverLapseFacts
          return { fingerprint, waiver, check }
        })
      }),
  }
}
