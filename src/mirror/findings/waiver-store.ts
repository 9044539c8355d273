import { severities } from '../../model/severity.ts'
import type { Lapse, LapseCount, NotedWaiver, WaiverBreadth, WaiverStore } from '../port.ts'
import type { Database, Operations } from '../sqlite/database.ts'

type Part = Operations<
  Pick<
    WaiverStore,
    | 'notedWaivers'
    | 'dropAcceptances'
    | 'noteAcceptances'
    | 'noteWaiver'
    | 'lapses'
    | 'lapseCounts'
    | 'lapsedUnderAll'
    | 'waiverBreadth'
  >
>

/** Reads the index `waived_findings_lapsed` alone; counting its ranges takes half the time of grouping rows. */
export const lapseCounting = `select n.id as waiver, n.terms, s.value as severity, (select count(*) from waived_findings w
    where w.tenant_id = n.tenant_id and w."check" = n."check" and w.waiver = n.id and w.terms = n.terms
      and w.open_severity = s.value and w.lapsed_at is not null) as count
  from waivers n cross join json_each('${JSON.stringify(severities)}') s where n.tenant_id = ? and n."check" = ?`

/** Served by an index on the flags. */
const anyOpen = (flags: string) => `exists (select 1 from waived_findings w
  where w.tenant_id = n.tenant_id and w.waiver = n.id and w.terms = n.terms and ${flags}
    and w.lapsed_at is null and w.open_severity is not null and (w.later = 1 or w.more_severe = 1))`
export const breadthReading = `select n.id as waiver, n.terms, ${anyOpen('w.later = 1')} as later,
    ${anyOpen('w.later in (0, 1) and w.more_severe = 1')} as moreSevere
  from waivers n where n.tenant_id = ?`

export function waiverStore(database: Database): Part {
  const { raw } = database
  const noted = raw.prepare<[number], NotedWaiver>(
    `select id, "check", entity, entity_key as entityKey, terms, since, expires_at as expiresAt from waivers
     where tenant_id = ? order by id`,
  )
  const note = raw.prepare(
    `insert or replace into waivers (tenant_id, id, "check", entity, entity_key, terms, since, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const drop = raw.prepare('delete from waived_findings where tenant_id = ? and waiver = ?')
  const forget = raw.prepare('delete from waivers where tenant_id = ? and id = ?')
  const accept = raw.prepare(
    `insert or ignore into waived_findings
       (fingerprint, waiver, tenant_id, "check", terms, facts, severity, accepted_at, later, open_severity)
     values (@fingerprint, @waiver, @tenantId, @check, @terms, @facts, @severity, @at, @later,
       (select severity from findings where fingerprint = @fingerprint and resolved_at is null))`,
  )
  const ofFindings = raw.prepare<[string], Lapse>(
    `select fingerprint, waiver, terms, lapsed_at as lapsedAt, facts as accepted, lapsed_facts as changed
     from waived_findings where fingerprint in (select value from json_each(?))
       and lapsed_at is not null and open_severity is not null`,
  )
  const counts = raw.prepare<[number, string], LapseCount>(lapseCounting)
  const underAll = raw.prepare<[string, number, string, number], Pick<LapseCount, 'severity' | 'count'>>(
    `select severity, count(*) as count from (
       select max(w.open_severity) as severity from json_each(?) n
       cross join waived_findings w on w.tenant_id = ? and w."check" = ?
         and w.waiver = n.value ->> 'waiver' and w.terms = n.value ->> 'terms'
         and w.lapsed_at is not null and w.open_severity is not null
       group by w.fingerprint having count(*) = ?)
     group by severity`,
  )
  const breadth = raw.prepare<[number], { waiver: string; terms: string; later: number; moreSevere: number }>(
    breadthReading,
  )
  return {
    notedWaivers: (tenantId) => database.run(() => noted.all(tenantId)),
    dropAcceptances: (tenantId, waiver) =>
      database.write('acceptances', () => {
        drop.run(tenantId, waiver)
        forget.run(tenantId, waiver)
      }),
    noteAcceptances: (tenantId, { id, check, terms }, accepted, at) =>
      database.write('acceptances', () => {
        for (const { later, ...finding } of accepted)
          accept.run({ ...finding, waiver: id, tenantId, check, terms, at, later: later ? 1 : 0 })
      }),
    noteWaiver: (tenantId, { id, check, entity, entityKey, terms, since, expiresAt }) =>
      database.write(
        'acceptances',
        () => void note.run(tenantId, id, check, entity, entityKey, terms, since, expiresAt),
      ),
    lapses: (fingerprints) => database.run(() => ofFindings.all(JSON.stringify(fingerprints))),
    lapseCounts: (tenantId, check) => database.run(() => counts.all(tenantId, check)),
    lapsedUnderAll: (tenantId, check, waivers) =>
      database.run(() => underAll.all(JSON.stringify(waivers), tenantId, check, waivers.length)),
    waiverBreadth: (tenantId) =>
      database.run(() =>
        breadth
          .all(tenantId)
          .map((row): WaiverBreadth => ({ ...row, later: row.later === 1, moreSevere: row.moreSevere === 1 })),
      ),
  }
}
