import type { Resolution } from '../../model/check-status.ts'
import { mayBeOneSecond } from '../../model/dates.ts'
import { memoize } from '../../model/memoize.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { eventAppender, findingEvent, lapseEvent, type NewEvent, type WaiverLapseFacts } from '../event-store.ts'
import type { NewFinding } from '../port.ts'
import { waiverUpkeep } from './waiver-store.ts'

const instant = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z"/g

/** Ignores fractions of seconds and, of users, `identity.createdAt`: another entity has another finding. */
function isSameFacts(accepted: string, present: string): boolean {
  const [before, after] = [JSON.parse(accepted) as Facts, JSON.parse(present) as Facts]
  return comparable(before) === comparable(after) && isSameCreation(before, after)
}

type Facts = Readonly<Record<string, unknown>>

/** Where no e-mail address identifies an entity, the second of its creation does, unless one is missing. */
function isSameCreation(before: Facts, after: Facts): boolean {
  if ([before, after].some((facts) => typeof facts['identity.emailDigest'] === 'string')) return true
  return mayBeOneSecond(before['identity.createdAt'], after['identity.createdAt'])
}

function comparable({ 'identity.createdAt': _, ...facts }: Facts): string {
  return JSON.stringify(facts).replace(instant, '"$1Z"')
}

/** Findings changed in one transaction; other work can run in between. */
export const batchSize = 250

export interface StagedFinding extends Omit<NewFinding, 'evidence' | 'facts' | 'isSameEntity'> {
  /** `replaced`: the entity's id was reused, so that the finding ends and a new one begins. */
  readonly kind: 'opened' | 'reopened' | 'changed' | 'resolved' | 'replaced'
  readonly evidence: string
  readonly lastSeenAt: number
  readonly resolution: Resolution | null
  readonly facts: string | null
}

interface StoredFacts extends Pick<StagedFinding, 'fingerprint' | 'severity' | 'message' | 'evidence' | 'resolution'> {
  readonly at: number
  readonly kind: 'opened' | 'reopened' | 'changed' | 'resolved'
}

interface Differing extends WaiverLapseFacts {
  readonly fingerprint: string
  readonly accepted: string
  readonly present: string
  readonly at: number
  readonly kind: StagedFinding['kind']
}

/** Run the steps of the writing methods inside a transaction. */
export interface StagedFindings {
  stage(tx: Sql, tenantId: number, check: string, at: number, differences: readonly StagedFinding[]): Promise<void>
  has(tx: Sql, tenantId: number, check: string): Promise<boolean>
  discard(tx: Sql, tenantId: number, check: string): Promise<void>
  /** Applies one batch to findings and history; false if none is left. */
  apply(tx: Sql, tenantId: number, check: string): Promise<boolean>
}

const rowsAtOnce = 25

const ofCheck = 'tenant_id = ? and "check" = ?'
const part = `${ofCheck} and id <= ?`

export function stagedFindings(database: Database): StagedFindings {
  const stage = memoize((rows: number) =>
    database.prepare(
      `insert into staged_findings (tenant_id, "check", at, kind, fingerprint, entity_type, entity_id, severity, message,
         evidence, last_seen_at, resolution, facts)
       values ${database.sql.rowsOf(rows, 13)}`,
    ),
  )
  const last = database.prepareValues<[number, string], number | null>(
    `select max(id) from (select id from staged_findings where ${ofCheck} order by id limit ${batchSize}) staged`,
  )
  const drop = database.prepare<[number, string, number]>(`delete from staged_findings where ${part}`)
  const writing = [
    `insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence,
         first_seen_at, last_seen_at)
       select fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence, at, at
       from staged_findings where ${part} and kind in ('opened', 'reopened', 'replaced') order by id
       on conflict (fingerprint) do update set severity = excluded.severity, message = excluded.message,
         evidence = excluded.evidence, last_seen_at = excluded.last_seen_at, resolved_at = null, resolution = null,
         reopened = findings.reopened + 1`,
    `update findings set first_seen_at = d.at, reopened = 0
       from (select * from staged_findings where ${part} and kind = 'replaced') d
       where findings.fingerprint = d.fingerprint`,
    `update findings set severity = d.severity, message = d.message, evidence = d.evidence, last_seen_at = d.at
       from (select * from staged_findings where ${part} and kind = 'changed') d
       where findings.fingerprint = d.fingerprint`,
    `update findings set resolved_at = d.at, last_seen_at = case when findings.last_seen_at > d.last_seen_at then findings.last_seen_at else d.last_seen_at end,
         resolution = d.resolution
       from (select * from staged_findings where ${part} and kind = 'resolved') d
       where findings.fingerprint = d.fingerprint`,
    ...waiverUpkeep(database.sql, part),
  ].map((text) => database.prepare<[number, string, number]>(text))
  const append = eventAppender(database)
  const facts = 'severity, message, evidence, resolution'
  const replaced = database.prepare<[number, string, number], StoredFacts>(
    `select f.fingerprint, d.at, 'resolved' as kind, f.severity, f.message, f.evidence, 'entity_removed' as resolution
     from (select * from staged_findings where ${part} and kind = 'replaced') d
     join findings f on f.fingerprint = d.fingerprint and f.resolved_at is null order by d.id`,
  )
  const staged = database.prepare<[number, string, number], StoredFacts>(
    `select fingerprint, at, case kind when 'replaced' then 'opened' else kind end as kind, ${facts}
     from staged_findings where ${part} order by id`,
  )
  const differing = database.prepare<[number, string, number], Differing>(
    `select w.fingerprint, w.waiver, w."check", w.terms, d.entity_id as entity, w.facts as accepted, d.facts as present,
       d.at, d.kind
     from (select * from staged_findings where ${part} and kind <> 'resolved' and facts is not null) d
     join waived_findings w on w.fingerprint = d.fingerprint and w.lapsed_at is null and w.facts <> d.facts`,
  )
  const lapse = database.prepare(
    'update waived_findings set lapsed_at = ?, lapsed_facts = ? where fingerprint = ? and waiver = ?',
  )
  return {
    async stage(tx, tenantId, check, at, differences) {
      for (let from = 0; from < differences.length; ) {
        const rows = differences.length - from < rowsAtOnce ? 1 : rowsAtOnce
        const values = differences.slice(from, from + rows).flatMap((one) => [tenantId, check, at, ...valuesOf(one)])
        await stage(rows).run(tx, ...values)
        from += rows
      }
    },
    async has(tx, tenantId, check) {
      return ((await last.get(tx, tenantId, check)) ?? null) !== null
    },
    async discard(tx, tenantId, check) {
      await drop.run(tx, tenantId, check, (await last.get(tx, tenantId, check)) ?? 0)
    },
    async apply(tx, tenantId, check) {
      const id = (await last.get(tx, tenantId, check)) ?? null
      if (id === null) return false
      const events: NewEvent[] = []
      for (const { fingerprint, present: changed, at, kind, ...found } of await differing.all(
        tx,
        tenantId,
        check,
        id,
      )) {
        if (kind !== 'replaced' && isSameFacts(found.accepted, changed)) continue
        await lapse.run(tx, at, changed, fingerprint, found.waiver)
        events.push(lapseEvent(fingerprint, at, { ...found, changed }))
      }
      for (const row of [
        ...(await replaced.all(tx, tenantId, check, id)),
        ...(await staged.all(tx, tenantId, check, id)),
      ]) {
        const evidence = JSON.parse(row.evidence) as object
        events.push(findingEvent(`finding.${row.kind}`, row.fingerprint, row.at, { ...row, evidence }))
      }
      await append(tx, tenantId, events)
      for (const statement of writing) await statement.run(tx, tenantId, check, id)
      await drop.run(tx, tenantId, check, id)
      return true
    },
  }
}

function valuesOf(difference: StagedFinding): readonly unknown[] {
  const { kind, fingerprint, entityType, entityId, severity, message, evidence } = difference
  const { lastSeenAt, resolution, facts } = difference
  return [kind, fingerprint, entityType, entityId, severity, message, evidence, lastSeenAt, resolution, facts]
}
