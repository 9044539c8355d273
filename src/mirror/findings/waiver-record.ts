import type { Lapse, LapseCount, PastReader } from '../port.ts'
import type { RecordAsOf } from '../records/record-as-of.ts'
import type { Database } from '../sqlite/database.ts'

/** Triggers record each change of a waiver in the same transaction, whichever statement writes it. */
export function keepWaiverRecord({ raw }: Database): void {
  raw.exec(`
    create temp trigger "waiver terms" after insert on main.waivers begin
      insert into waiver_changes (tenant_id, waiver, at, terms, "check")
        values (new.tenant_id, new.id, new.since, new.terms, new."check");
    end;
    create temp trigger "waiver lapses" after update of lapsed_at on main.waived_findings
      when old.lapsed_at is null and new.lapsed_at is not null begin
      insert into waiver_changes (tenant_id, waiver, at, terms, "check", fingerprint, accepted, changed)
        values (new.tenant_id, new.waiver, new.lapsed_at, new.terms, new."check", new.fingerprint, new.facts,
          new.lapsed_facts);
    end;`)
}

type PastLapses = Pick<PastReader, 'lapses' | 'lapseCounts' | 'lapsedUnderAll'>

export function pastLapses({ raw }: Database, asOf: RecordAsOf): PastLapses {
  const lapsed = `from waiver_changes c join findings f on f.fingerprint = c.fingerprint
    join finding_events e on e.id = (select max(x.id) from finding_events x
      where x.fingerprint = c.fingerprint and ${asOf.within('finding_events', 'x')})
    where c.fingerprint is not null and e.kind <> 'resolved' and ${asOf.within('waiver_changes', 'c')}
      and not exists (select 1 from waiver_changes n where n.tenant_id = c.tenant_id and n.waiver = c.waiver
        and n.fingerprint is null and n.id > c.id and ${asOf.within('waiver_changes', 'n')})`
  const ofCheck = 'c.tenant_id = ? and c."check" = ?'
  const ofFindings = raw.prepare<[string], Lapse>(
    `select c.fingerprint, c.waiver, c.terms, c.at as lapsedAt, c.accepted, c.changed ${lapsed}
       and c.fingerprint in (select value from json_each(?)) order by c.id`,
  )
  const counts = raw.prepare<[number, string], LapseCount>(
    `select c.waiver, c.terms, e.severity, count(distinct c.fingerprint) as count ${lapsed} and ${ofCheck}
     group by c.waiver, c.terms, e.severity`,
  )
  const underAll = raw.prepare<[number, string, string, number], Pick<LapseCount, 'severity' | 'count'>>(
    `select severity, count(*) as count from (
       select max(e.severity) as severity ${lapsed} and ${ofCheck}
         and exists (select 1 from json_each(?) n
           where n.value ->> 'waiver' = c.waiver and n.value ->> 'terms' = c.terms)
       group by c.fingerprint having count(distinct c.waiver) = ?)
     group by severity`,
  )
  return {
    lapses: async (fingerprints) => ofFindings.all(JSON.stringify(fingerprints)),
    lapseCounts: async (tenantId, check) => counts.all(tenantId, check),
    async lapsedUnderAll(tenantId, check, waivers) {
      return underAll.all(tenantId, check, JSON.stringify(waivers), waivers.length)
    },
  }
}
