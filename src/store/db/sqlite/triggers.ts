import type BetterSqlite3 from 'better-sqlite3'

/** Triggers that record each change of a waiver in the same transaction, whichever statement writes it. */
export function keepWaiverRecord(raw: BetterSqlite3.Database): void {
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
