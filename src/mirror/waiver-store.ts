import { type Database, transact } from './database.ts'
import type { Lapse, NotedWaiver, WaiverBreadth, WaiverStore } from './port.ts'

type Part = Pick<
  WaiverStore,
  'notedWaivers' | 'dropAcceptances' | 'noteAcceptances' | 'noteWaiver' | 'lapses' | 'waiverBreadth'
>

const lapse = 'w.fingerprint, f.entity_id as entityId, f.severity, w.waiver, w.terms, w.lapsed_at as lapsedAt'
const lapsed = `from waived_findings w join findings f on f.fingerprint = w.fingerprint and f.resolved_at is null
  where w.lapsed_at is not null`

/** True for one covered finding that is open; one suffices, for there may be as many as there are findings. */
const anyOpen = (flag: 'later' | 'graver') => `exists (
  select 1 from waived_findings w join findings f on f.fingerprint = w.fingerprint and f.resolved_at is null
  where w.tenant_id = n.tenant_id and w.waiver = n.id and w.terms = n.terms and w.lapsed_at is null
    and (w.later = 1 or w.graver = 1) and w.${flag} = 1)`

/** Waivers as the engine knows them, and what they accepted. */
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
  const accept = raw.prepare(
    `insert or ignore into waived_findings
       (fingerprint, waiver, tenant_id, "check", terms, facts, severity, accepted_at, later)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const ofCheck = raw.prepare<[number, string], Lapse>(
    `select ${lapse}, null as accepted, null as changed ${lapsed} and w.tenant_id = ? and w."check" = ?`,
  )
  const ofFindings = raw.prepare<[string], Lapse>(
    `select ${lapse}, w.facts as accepted, w.lapsed_facts as changed
     ${lapsed} and w.fingerprint in (select value from json_each(?))`,
  )
  const breadth = raw.prepare<[number], { waiver: string; terms: string; later: number; graver: number }>(
    `select n.id as waiver, n.terms, ${anyOpen('later')} as later, ${anyOpen('graver')} as graver
     from waivers n where n.tenant_id = ?`,
  )
  return {
    notedWaivers: async (tenantId) => noted.all(tenantId),
    async dropAcceptances(tenantId, waiver) {
      transact(database, () => drop.run(tenantId, waiver))
    },
    async noteAcceptances(tenantId, { id, check, terms }, accepted, at) {
      transact(database, () => {
        for (const { fingerprint, facts, severity, later } of accepted)
          accept.run(fingerprint, id, tenantId, check, terms, facts, severity, at, later ? 1 : 0)
      })
    },
    async noteWaiver(tenantId, { id, check, entity, entityKey, terms, since, expiresAt }) {
      transact(database, () => note.run(tenantId, id, check, entity, entityKey, terms, since, expiresAt))
    },
    async lapses(of) {
      return 'tenantId' in of ? ofCheck.all(of.tenantId, of.check) : ofFindings.all(JSON.stringify(of.fingerprints))
    },
    async waiverBreadth(tenantId) {
      return breadth
        .all(tenantId)
        .map((row): WaiverBreadth => ({ ...row, later: row.later === 1, graver: row.graver === 1 }))
    },
  }
}
