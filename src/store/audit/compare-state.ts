import { hash } from 'node:crypto'
import { type FindingIdentity, fingerprintOf } from '../../model/finding.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { type FindingFacts, type ResultFacts, type StoredEvent, sharedChain } from '../event-store.ts'
import type { TenantState } from '../history/configuration-log.ts'
import { fromJson } from '../words.ts'

export type EventPlace = Pick<StoredEvent, 'id' | 'at' | 'kind' | 'subject'>

/** Present states that differ from their last event; `first` is the fingerprint or check of one. */
export interface StateMismatch {
  readonly what: 'findings_missing' | 'findings_inserted' | 'findings_changed' | 'results_changed'
  readonly count: number
  readonly first: string
}

interface FindingState {
  readonly isOpen: boolean
  /** Of the last event. */
  readonly at: number
  /** Digest, because there may be a million findings; null if the data of the last event is missing. */
  readonly facts: string | null
}

/** The state that the events of a tenant lead to, in the order of their ids. */
export class LastEvents {
  readonly findings = new Map<string, FindingState>()
  readonly results = new Map<string, ResultFacts | null>()
  /** By hash, the first event that names a configuration. */
  readonly configurations = new Map<string, EventPlace>()

  /** @param data null if it is erased or was changed. */
  add(event: EventPlace, data: unknown): void {
    const { kind, subject, at } = event
    if (kind.startsWith('finding.')) {
      const facts = data === null ? null : digestOf(data as FindingFacts)
      this.findings.set(subject, { isOpen: kind !== 'finding.resolved', at, facts })
    }
    if (kind === 'result') this.results.set(subject, data as ResultFacts | null)
    if (kind === 'tenant.state') {
      const { configuration = null } = (data ?? {}) as Partial<TenantState>
      if (configuration !== null && !this.configurations.has(configuration))
        this.configurations.set(configuration, event)
    }
  }
}

function digestOf({ severity, message, evidence, firstSeenAt, reopened, resolution }: FindingFacts): string {
  return hash('sha256', JSON.stringify([severity, message, evidence, firstSeenAt, reopened, resolution]), 'base64url')
}

interface StoredFinding extends FindingIdentity, Omit<FindingFacts, 'evidence'> {
  readonly id: number
  readonly fingerprint: string
  readonly evidence: string
  readonly resolvedAt: number | null
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
  const configurations = database.prepareValues<[], string>(
    `select hash from events where tenant_id = ${sharedChain} and kind = 'configuration'`,
  )
  const orphans = database.prepare<[], { readonly tenantId: number; readonly events: number; readonly at: number }>(
    `select tenant_id as "tenantId", count(*) as events, max(at) as at from events
     where tenant_id <> ${sharedChain} and tenant_id not in (select id from tenants) group by tenant_id order by tenant_id`,
  )

  async function* statesThatDiffer(tx: Sql, tenantId: number, events: LastEvents) {
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
    for (const row of await results.all(tx, tenantId))
      if (!isOfEvent(row, events.results.get(row.check))) yield ['results_changed', row.check] as const
  }

  return {
    /** Tenants of which there are events only. */
    orphans: (tx: Sql) => orphans.all(tx),
    /** Events that name a configuration that the chain of configurations lacks. */
    async missingConfigurations(tx: Sql, events: LastEvents): Promise<readonly EventPlace[]> {
      const hashes = new Set(await configurations.all(tx))
      return [...events.configurations].flatMap(([hash, event]) => (hashes.has(hash) ? [] : [event]))
    },
    async states(tx: Sql, tenantId: number, events: LastEvents): Promise<readonly StateMismatch[]> {
      const found = new Map<StateMismatch['what'], StateMismatch>()
      for await (const [what, first] of statesThatDiffer(tx, tenantId, events)) {
        const known = found.get(what) ?? { what, count: 0, first }
        found.set(what, { ...known, count: known.count + 1 })
      }
      return [...found.values()]
    },
  }
}

function isOfEvents(row: StoredFinding, state: FindingState, tenant: string): boolean {
  if (fingerprintOf({ ...row, tenant }) !== row.fingerprint) return false
  if (row.resolvedAt !== (state.isOpen ? null : state.at)) return false
  try {
    return digestOf({ ...row, evidence: fromJson(row.evidence) as object }) === state.facts
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
