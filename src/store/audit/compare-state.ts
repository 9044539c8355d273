import { type FindingIdentity, fingerprintOf } from '../../model/finding.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { type ResultFacts, sharedChain } from '../event-store.ts'
import { fromJson } from '../words.ts'
import type { ChainMismatch, StateMismatch } from './audit-port.ts'
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

type StoredResult = Omit<ResultFacts, 'open' | 'previous'> & { readonly check: string; readonly open: string }

const findingsAtOnce = 1000

/** Compares the present state with the last events, because reports and metrics read that state. */
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
  const waivers = database.prepare<[number], { readonly waiver: string; readonly terms: string }>(
    'select id as waiver, terms from waivers where tenant_id = ? order by id',
  )
  const lapsed = database.prepareValues<[number, string, string], string>(
    'select fingerprint from waived_findings where tenant_id = ? and waiver = ? and terms = ? and lapsed_at is not null',
  )
  const configurations = database.prepareValues<[], string>(
    `select hash from events where tenant_id = ${sharedChain} and kind = 'configuration'`,
  )
  const orphans = database.prepare<[], { readonly tenantId: number; readonly events: number; readonly at: number }>(
    `select tenant_id as "tenantId", count(*) as events, max(at) as at from events
     where tenant_id <> ${sharedChain} and tenant_id not in (select id from tenants) group by tenant_id order by tenant_id`,
  )

  async function* findingsThatDiffer(tx: Sql, tenantId: number, events: LastEvents) {
    const tenant = (await tenantName.get(tx, tenantId)) ?? ''
    const known = new Set<string>()
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = await findings.all(tx, tenantId, after)
      for (const row of rows) {
        known.add(row.fingerprint)
        const state = events.findings.get(row.fingerprint)
        if (state === undefined) yield ['findings_inserted', row.fingerprint] as const
        else if (!isOfEvents(row, state, tenant)) yield ['findings_changed', row.fingerprint] as const
      }
      if (rows.length < findingsAtOnce) break
      after = rows.at(-1)?.id ?? after
    }
    // Retention empties the events of a finding together with it.
    for (const [fingerprint, { facts }] of events.findings)
      if (facts !== null && !known.has(fingerprint)) yield ['findings_missing', fingerprint] as const
  }

  async function* statesThatDiffer(tx: Sql, tenantId: number, events: LastEvents) {
    yield* findingsThatDiffer(tx, tenantId, events)
    for (const row of await results.all(tx, tenantId))
      if (!isOfEvent(row, events.results.get(row.check))) yield ['results_changed', row.check] as const
    for (const { waiver, terms } of await waivers.all(tx, tenantId)) {
      const lapses = (events.lapses.get(waiver) ?? []).filter((one) => one.terms === terms)
      const stored = new Set(lapses.length === 0 ? [] : await lapsed.all(tx, tenantId, waiver, terms))
      for (const { fingerprint } of lapses)
        if (events.findings.has(fingerprint) && !stored.has(fingerprint)) yield ['lapses_missing', waiver] as const
    }
  }

  return async (tx: Sql, tenantId: number, events: LastEvents): Promise<readonly ChainMismatch[]> => {
    if (tenantId === sharedChain)
      return (await orphans.all(tx)).map((orphan) => ({ what: 'tenant_missing' as const, ...orphan }))
    const states = new Map<StateMismatch['what'], StateMismatch>()
    for await (const [what, first] of statesThatDiffer(tx, tenantId, events)) {
      const known = states.get(what) ?? { what, count: 0, first }
      states.set(what, { ...known, count: known.count + 1 })
    }
    const hashes = new Set(await configurations.all(tx))
    const missing = [...events.configurations].filter(([hash]) => !hashes.has(hash))
    return [
      ...states.values(),
      ...missing.map(([, event]): ChainMismatch => ({ what: 'configuration_missing', ...event })),
    ]
  }
}

function isOfEvents(row: StoredFinding, state: FindingState, tenant: string): boolean {
  const { fingerprint, severity, message, resolution, resolvedAt, firstSeenAt, reopened } = row
  if (fingerprintOf({ ...row, tenant }) !== fingerprint) return false
  if (resolvedAt !== (state.isOpen ? null : state.at)) return false
  if (state.openedAt !== null && (firstSeenAt !== state.openedAt || reopened !== state.reopened)) return false
  try {
    return factsOf({ severity, message, evidence: fromJson(row.evidence) as object, resolution }) === state.facts
  } catch {
    // Another program wrote text that is no JSON.
    return false
  }
}

function isOfEvent({ check: _, ...row }: StoredResult, event: ResultFacts | null | undefined): boolean {
  if (event === null || event === undefined) return false
  const { status, reason, entities, notEvaluated, since, rule, open } = event
  const stated = { status, reason, entities, notEvaluated, since, rule, open: JSON.stringify(open) }
  return JSON.stringify(row) === JSON.stringify(stated)
}
