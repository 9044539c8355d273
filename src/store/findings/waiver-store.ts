import { memoize } from '../../model/memoize.ts'
import { severities } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { Dialect, List, Sql } from '../db/db.ts'
import { eventAppender, lapseEvent, type WaiverLapseFacts, waiverEvent } from '../event-store.ts'
import type { Lapse, LapseCount, NotedWaiver, WaiverBreadth, WaiverStore } from '../port.ts'

const rank = (column: string) =>
  `case ${column} ${severities.map((severity, i) => `when '${severity}' then ${i}`).join(' ')} end`

/** Condition that the check had a complete result before: nobody could review findings of its first one earlier. */
const wasEvaluated = (sql: Dialect) => `exists (select 1 from events c
  where c.tenant_id = d.tenant_id and c.kind = 'result' and c.subject = d."check" and c.at < d.at
    and (c.data is null or ${sql.jsonMember('c.data', 'entities', 'integer')} is not null))`

/** Ends acceptances after another tenant was accepted, where the same ids are different entities. */
export function endAcceptances(database: Database) {
  const append = eventAppender(database)
  const lapsing = database.prepare<[object], WaiverLapseFacts & { readonly fingerprint: string }>(
    `select w.waiver, w."check", w.terms, coalesce(f.entity_id, '') as entity, w.fingerprint, w.facts as accepted,
       ${database.sql.jsonWith('w.facts', 'tenant', 'accepted as another one')} as changed
     from waived_findings w left join findings f on f.fingerprint = w.fingerprint
     where w.tenant_id = @tenantId and w.lapsed_at is null order by w.fingerprint, w.waiver`,
  )
  const lapse = database.prepare<[number, string | null, string, string]>(
    'update waived_findings set lapsed_at = ?, lapsed_facts = ? where fingerprint = ? and waiver = ?',
  )
  return async (tx: Sql, tenantId: number, at: number) => {
    const lapses = await lapsing.all(tx, { tenantId })
    for (const { fingerprint, waiver, changed } of lapses) await lapse.run(tx, at, changed, fingerprint, waiver)
    await append(
      tx,
      tenantId,
      lapses.map(({ fingerprint, ...facts }) => lapseEvent(fingerprint, at, facts)),
    )
  }
}

/** @param part condition on `staged_findings` with three parameters. */
export function waiverUpkeep(sql: Dialect, part: string): readonly string[] {
  const failing = `(select * from staged_findings where ${part} and kind <> 'resolved' and facts is not null)`
  return [
    `update waived_findings set open_severity = case when d.kind <> 'resolved' then d.severity end
     from (select * from staged_findings where ${part}) d where waived_findings.fingerprint = d.fingerprint`,
    `update waived_findings set more_severe = case when ${rank('d.severity')} > ${rank('waived_findings.severity')} then 1 else 0 end
     from ${failing} d
     where waived_findings.fingerprint = d.fingerprint`,
    `insert into waived_findings
       (fingerprint, waiver, tenant_id, "check", terms, facts, severity, accepted_at, later, open_severity)
     select d.fingerprint, w.id, d.tenant_id, d."check", w.terms, d.facts, d.severity, d.at,
       case when w.entity = '*' and d.at > w.since and ${wasEvaluated(sql)} then 1 else 0 end, d.severity
     from ${failing} d join waivers w on w.tenant_id = d.tenant_id and w."check" = d."check"
       and (w.entity = '*' or w.entity = d.entity_id or w.entity_key = d.entity_id)
     where w.expires_at >= d.at on conflict do nothing`,
  ]
}

type Part = Pick<
  WaiverStore,
  | 'notedWaivers'
  | 'dropAcceptances'
  | 'noteAcceptances'
  | 'noteWaiver'
  | 'lapses'
  | 'lapseCounts'
  | 'lapsedUnderAll'
  | 'lapsesAt'
  | 'waiverBreadth'
>

/** Reads only the index `waived_findings_lapsed`; counting its ranges takes half the time of grouping rows. */
export const lapseCounting = `select n.id as waiver, n.terms, s.column1 as severity, (select count(*) from waived_findings w
    where w.tenant_id = n.tenant_id and w."check" = n."check" and w.waiver = n.id and w.terms = n.terms
      and w.open_severity = s.column1 and w.lapsed_at is not null) as count
  from waivers n cross join (values ${severities.map((severity) => `('${severity}')`).join(', ')}) s where n.tenant_id = ? and n."check" = ?`

/** Served by an index on the flags. */
const anyOpen = (flags: string) => `case when exists (select 1 from waived_findings w
  where w.tenant_id = n.tenant_id and w.waiver = n.id and w.terms = n.terms and ${flags}
    and w.lapsed_at is null and w.open_severity is not null and (w.later = 1 or w.more_severe = 1)) then 1 else 0 end`
export const breadthReading = `select n.id as waiver, n.terms, ${anyOpen('w.later = 1')} as later,
    ${anyOpen('w.later in (0, 1) and w.more_severe = 1')} as "moreSevere"
  from waivers n where n.tenant_id = ?`

export function waiverStore(database: Database): Part {
  const { sql } = database
  const noted = database.prepare<[number], NotedWaiver>(
    `select id, "check", entity, entity_key as "entityKey", terms, since, expires_at as "expiresAt" from waivers
     where tenant_id = ? order by id`,
  )
  const note = database.prepare(
    `insert into waivers (tenant_id, id, "check", entity, entity_key, terms, since, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const drop = database.prepare<[number, string]>('delete from waived_findings where tenant_id = ? and waiver = ?')
  const forget = database.prepare<[number, string]>('delete from waivers where tenant_id = ? and id = ?')
  const accept = database.prepare(
    `insert into waived_findings
       (fingerprint, waiver, tenant_id, "check", terms, facts, severity, accepted_at, later, open_severity)
     values (@fingerprint, @waiver, @tenantId, @check, @terms, @facts, @severity, @at, @later,
       (select severity from findings where fingerprint = @fingerprint and resolved_at is null))
     on conflict do nothing`,
  )
  const ofFindings = database.prepare<[List], Lapse>(
    `select fingerprint, waiver, terms, lapsed_at as "lapsedAt", facts as accepted, lapsed_facts as changed
     from waived_findings where ${sql.isIn('fingerprint')}
       and lapsed_at is not null and open_severity is not null`,
  )
  const append = eventAppender(database)
  const lapsedAt = database.prepare<[number, number, number], { fingerprint: string; data: string }>(
    `select subject as fingerprint, data from events
     where at = ? and tenant_id = ? and kind = 'waiver.lapsed' and data is not null order by id limit ?`,
  )
  const wasAgreed = database.prepare<[number, string]>(
    `select 1 from events where tenant_id = ? and kind = 'waiver.agreed' and subject = ? limit 1`,
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
  const breadth = database.prepare<[number], { waiver: string; terms: string; later: number; moreSevere: number }>(
    breadthReading,
  )
  return {
    notedWaivers: (tenantId) => database.read((tx) => noted.all(tx, tenantId)),
    dropAcceptances: (tenantId, waiver) =>
      database.write('acceptances', async (tx) => {
        await drop.run(tx, tenantId, waiver)
        await forget.run(tx, tenantId, waiver)
      }),
    noteAcceptances: (tenantId, { id, check, terms }, accepted, at) =>
      database.write('acceptances', async (tx) => {
        for (const { later, ...finding } of accepted)
          await accept.run(tx, { ...finding, waiver: id, tenantId, check, terms, at, later: later ? 1 : 0 })
      }),
    noteWaiver: (tenantId, { id, check, entity, entityKey, terms, since, expiresAt }) =>
      database.write('acceptances', async (tx) => {
        await forget.run(tx, tenantId, id)
        await note.run(tx, tenantId, id, check, entity, entityKey, terms, since, expiresAt)
        const kind = (await wasAgreed.get(tx, tenantId, id)) === undefined ? 'waiver.agreed' : 'waiver.renewed'
        await append(tx, tenantId, [waiverEvent(kind, id, since, { check, terms, entity })])
      }),
    lapses: (fingerprints) => database.read((tx) => ofFindings.all(tx, sql.listOf(fingerprints))),
    lapseCounts: (tenantId, check) => database.read((tx) => counts.all(tx, tenantId, check)),
    lapsedUnderAll: (tenantId, check, waivers) =>
      database.read((tx) => {
        const terms = waivers.flatMap((waiver) => [waiver.waiver, waiver.terms])
        return underAll(waivers.length).all(tx, ...terms, tenantId, check, waivers.length)
      }),
    lapsesAt: (tenantId, at, most) =>
      database.read(async (tx) => {
        return (await lapsedAt.all(tx, at, tenantId, most)).map(({ fingerprint, data }) => {
          const { waiver, check } = JSON.parse(data) as WaiverLapseFacts
          return { fingerprint, waiver, check }
        })
      }),
    waiverBreadth: (tenantId) =>
      database.read(async (tx) => {
        const rows = await breadth.all(tx, tenantId)
        return rows.map((row): WaiverBreadth => ({ ...row, later: row.later === 1, moreSevere: row.moreSevere === 1 }))
      }),
  }
}
