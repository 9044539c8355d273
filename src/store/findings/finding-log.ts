import type { Database } from '../database.ts'
import type { Dialect, List, Sql } from '../db/db.ts'
import {
  eventAppender,
  findingEvent,
  lapseEvent,
  type NewEvent,
  resultEvent,
  type WaiverLapseFacts,
  waiverEvent,
} from '../event-store.ts'
import type { NewLapse, NotedWaiver, ResolvedFinding, WrittenFinding } from '../port.ts'
import { fromJson } from '../words.ts'

interface StatusChange {
  readonly check: string
  readonly status: string
  readonly reason: string | null
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly rule: string | null
  readonly open: string
}

interface LastResult {
  readonly evaluatedAt: number
  readonly validUntil: number | null
}

interface StoredFacts {
  readonly fingerprint: string
  readonly severity: string
  readonly message: string
  readonly evidence: string
}

interface StoredLapse extends WaiverLapseFacts {
  readonly fingerprint: string
}

export type FindingLog = ReturnType<typeof findingLog>

/** Writes the history of results, findings and waivers. Run inside the transaction of what it is about. */
export function findingLog(database: Database) {
  const { isIn, listOf } = database.sql
  const append = eventAppender(database)
  const openFacts = database.prepare<[List], StoredFacts>(
    `select fingerprint, severity, message, evidence from findings
     where ${isIn('fingerprint')} and resolved_at is null order by id`,
  )
  const lapsing = (condition: string, changed: string) =>
    `select w.fingerprint, w.waiver, w."check", w.terms, coalesce(f.entity_id, '') as entity, w.facts as accepted,
       ${changed} as changed
     from waived_findings w left join findings f on f.fingerprint = w.fingerprint
     where ${condition} order by w.fingerprint, w.waiver`
  const lapsingOf = database.prepare<[string, string], StoredLapse>(
    lapsing('w.fingerprint = ? and w.waiver = ?', 'null'),
  )
  const lapsingAll = database.prepare<[number], StoredLapse>(
    lapsing('w.tenant_id = ? and w.lapsed_at is null', ofAnotherTenant(database.sql, 'w.facts')),
  )
  const wasAgreed = database.prepare<[number, string]>(
    `select 1 from events where tenant_id = ? and kind = 'waiver.agreed' and subject = ? limit 1`,
  )

  async function resolvedEvents(tx: Sql, at: number, fingerprints: readonly string[], resolution: string) {
    return (await openFacts.all(tx, listOf(fingerprints))).map(({ fingerprint, severity, message, evidence }) => {
      const facts = { severity, message, evidence: fromJson(evidence) as object, resolution }
      return findingEvent('finding.resolved', fingerprint, at, facts)
    })
  }

  return {
    /** Call before the findings are written. */
    async written(tx: Sql, tenantId: number, at: number, findings: readonly WrittenFinding[]): Promise<void> {
      const replaced = findings.filter(({ replacesOpen }) => replacesOpen).map(({ fingerprint }) => fingerprint)
      const events = replaced.length === 0 ? [] : await resolvedEvents(tx, at, replaced, 'entity_removed')
      for (const { fingerprint, kind, severity, message, evidence } of findings) {
        const facts = { severity, message, evidence: fromJson(evidence) as object }
        events.push(findingEvent(`finding.${kind === 'replaced' ? 'opened' : kind}`, fingerprint, at, facts))
      }
      await append(tx, tenantId, events)
    },
    /** Call before the findings are resolved. */
    async resolved(tx: Sql, tenantId: number, at: number, findings: readonly ResolvedFinding[]): Promise<void> {
      const events: NewEvent[] = []
      for (const [resolution, some] of Map.groupBy(findings, (one) => one.resolution)) {
        const fingerprints = some.map(({ fingerprint }) => fingerprint)
        events.push(...(await resolvedEvents(tx, at, fingerprints, resolution)))
      }
      await append(tx, tenantId, events)
    },
    async result(
      tx: Sql,
      tenantId: number,
      at: number,
      { check, open, ...change }: StatusChange,
      last: LastResult | undefined,
    ): Promise<void> {
      const previous = last === undefined ? null : { confirmedAt: last.evaluatedAt, validUntil: last.validUntil }
      const facts = { ...change, open: fromJson(open) as object, previous }
      await append(tx, tenantId, [resultEvent(check, at, facts)])
    },
    async agreed(tx: Sql, tenantId: number, { id, since, terms, check, entity }: NotedWaiver): Promise<void> {
      const kind = (await wasAgreed.get(tx, tenantId, id)) === undefined ? 'waiver.agreed' : 'waiver.renewed'
      await append(tx, tenantId, [waiverEvent(kind, id, since, { check, terms, entity })])
    },
    /** Call before the acceptances lapse. */
    async lapsed(tx: Sql, tenantId: number, at: number, lapses: readonly NewLapse[]): Promise<void> {
      const events: NewEvent[] = []
      for (const { fingerprint, waiver, facts: changed } of lapses)
        for (const { fingerprint: of, ...facts } of await lapsingOf.all(tx, fingerprint, waiver))
          events.push(lapseEvent(of, at, { ...facts, changed }))
      await append(tx, tenantId, events)
    },
    /** All acceptances of a tenant lapse. */
    async lapsedAll(tx: Sql, tenantId: number, at: number): Promise<void> {
      const lapses = await lapsingAll.all(tx, tenantId)
      await append(
        tx,
        tenantId,
        lapses.map(({ fingerprint, ...facts }) => lapseEvent(fingerprint, at, facts)),
      )
    },
  }
}

/** Facts of an accepted finding after another tenant was accepted, where the same ids are different entities. */
export const ofAnotherTenant = ({ jsonWith }: Dialect, facts = 'facts') =>
  jsonWith(facts, 'tenant', 'accepted as another one')
