import { type FindingIdentity, fingerprintOf } from '../../model/finding.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { sharedChain } from '../event-store.ts'
import type { ChainMismatch, FindingsMismatch } from './audit-port.ts'
import { type FindingState, factsOf, type LastEvents } from './last-events.ts'

interface StoredFinding extends FindingIdentity {
  readonly id: number
  readonly fingerprint: string
  readonly severity: string
  readonly message: string
  readonly evidence: string
  readonly firstSeenAt: number
  readonly resolvedAt: number | null
  readonly resolution: string | null
  readonly reopened: number
}

interface StoredResult {
  readonly check: string
  readonly status: string
  readonly reason: string | null
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly rule: string | null
  readonly open: string
}

interface StoredWaiver {
  readonly waiver: string
  readonly terms: string
}

const findingsAtOnce = 1000

/** Compares the present state with the last events, which is why reports and metrics may read that state. */
export function stateComparison(database: Database) {
  const tenantName = database.prepareValues<[number], string>('select name from tenants where id = ?')
  const findings = database.prepare<[number, number], StoredFinding>(
    `select id, fingerprint, "check", entity_type as "entityType", entity_id as "entityId", severity, message, evidence,
       first_seen_at as "firstSeenAt", resolved_at as "resolvedAt", resolution, reopened
     from findings where tenant_id = ? and id > ? order by id limit ${findingsAtOnce}`,
  )
  const results = database.prepare<[number], StoredResult>(
    `select "check", status, reason, entities, not_evaluated as "notEvaluated", since, rule, open from check_states
     where tenant_id = ? order by "check"`,
  )
  const waivers = database.prepare<[number], StoredWaiver>(
    'select id as waiver, terms from waivers where tenant_id = ?',
  )
  const lapsed = database.prepareValues<[number, string, string], string>(
    `select fingerprint from waived_findings where tenant_id = ? and waiver = ? and terms = ? and lapsed_at is not null`,
  )
  const configurations = database.prepareValues<[], string>(
    `select hash from events where tenant_id = ${sharedChain} and kind = 'configuration'`,
  )
  const orphans = database.prepare<[], { tenantId: number; events: number; at: number }>(
    `select tenant_id as "tenantId", count(*) as events, max(at) as at from events
     where tenant_id <> ${sharedChain} and tenant_id not in (select id from tenants) group by tenant_id order by tenant_id`,
  )

  async function ofFindings(tx: Sql, tenantId: number, events: LastEvents): Promise<readonly FindingsMismatch[]> {
    const tenant = (await tenantName.get(tx, tenantId)) ?? ''
    const found = new Map<FindingsMismatch['what'], FindingsMismatch>()
    const add = (what: FindingsMismatch['what'], fingerprint: string) => {
      const known = found.get(what) ?? { what, count: 0, fingerprint }
      found.set(what, { ...known, count: known.count + 1 })
    }
    const known = new Set<string>()
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = await findings.all(tx, tenantId, after)
      for (const row of rows) {
        known.add(row.fingerprint)
        const state = events.findings.get(row.fingerprint)
        if (state === undefined) add('findings_inserted', row.fingerprint)
        else if (!isOfEvents(row, state, tenant)) add('findings_changed', row.fingerprint)
      }
      if (rows.length < findingsAtOnce) break
      after = rows.at(-1)?.id ?? after
    }
    // Retention erases the events of a finding together with it.
    for (const [fingerprint, { facts }] of events.findings)
      if (facts !== null && !known.has(fingerprint)) add('findings_missing', fingerprint)
    return [...found.values()]
  }

  async function ofLapses(tx: Sql, tenantId: number, events: LastEvents): Promise<readonly ChainMismatch[]> {
    const revived: string[] = []
    for (const { waiver, terms } of await waivers.all(tx, tenantId)) {
      const lapses = (events.lapses.get(waiver) ?? []).filter(
        (one) => one.terms === terms && events.findings.has(one.fingerprint),
      )
      if (lapses.length === 0) continue
      const stored = new Set(await lapsed.all(tx, tenantId, waiver, terms))
      for (const { fingerprint } of lapses) if (!stored.has(fingerprint)) revived.push(waiver)
    }
    const [waiver] = revived.sort()
    return waiver === undefined ? [] : [{ what: 'lapses_missing', count: revived.length, waiver }]
  }

  return async (tx: Sql, tenantId: number, events: LastEvents): Promise<readonly ChainMismatch[]> => {
    if (tenantId === sharedChain)
      return (await orphans.all(tx)).map((orphan) => ({ what: 'tenant_missing' as const, ...orphan }))
    const changed = (await results.all(tx, tenantId)).filter((row) => !isOfEvent(row, events))
    const [first] = changed
    const hashes = new Set(await configurations.all(tx))
    const missing = events.configurations.filter(({ hash }) => !hashes.has(hash))
    return [
      ...(await ofFindings(tx, tenantId, events)),
      ...(first === undefined ? [] : [{ what: 'results_changed' as const, count: changed.length, check: first.check }]),
      ...(await ofLapses(tx, tenantId, events)),
      ...missing.map(({ id, at }) => ({ what: 'configuration_missing' as const, id, at })),
    ]
  }
}

function isOfEvents(row: StoredFinding, state: FindingState, tenant: string): boolean {
  const { fingerprint, severity, message, resolution, resolvedAt, firstSeenAt, reopened } = row
  if (fingerprintOf({ ...row, tenant }) !== fingerprint) return false
  if (resolvedAt !== (state.isOpen ? null : state.at)) return false
  if (state.openedAt !== null && (firstSeenAt !== state.openedAt || reopened !== state.reopened)) return false
  try {
    return factsOf({ severity, message, evidence: JSON.parse(row.evidence) as object, resolution }) === state.facts
  } catch {
    // Another program wrote text that is no JSON.
    return false
  }
}

function isOfEvent({ check, ...row }: StoredResult, { results }: LastEvents): boolean {
  const event = results.get(check)
  if (event === undefined || event === null) return false
  const { status, reason, entities, notEvaluated, since, rule, open } = event
  const stored = [row.status, row.reason, row.entities, row.notEvaluated, row.since, row.rule, row.open]
  return (
    JSON.stringify(stored) ===
    JSON.stringify([status, reason, entities, notEvaluated, since, rule, JSON.stringify(open)])
  )
}
