import { fingerprintOf } from '../../model/finding.ts'
import { parseJson } from '../../model/text/json.ts'
import type { Sql } from '../db/db.ts'
import { lastEventOf } from '../event-store.ts'
import { type FindingFacts, findingKinds, listOfKinds, type ResultFacts } from '../events.ts'
import { columnList, type RowOf } from '../rows.ts'
import { checkStates, findings } from '../schema/index.ts'

/** Present states that differ from their last event; `first` is the fingerprint or check of one. */
export interface StateMismatch {
  readonly what: 'findings_missing' | 'findings_inserted' | 'findings_changed' | 'results_missing' | 'results_changed'
  readonly count: number
  readonly first: string
}

/** The last event of a state; null without one. `data` is null after an erasure, too. */
interface LastEvent {
  readonly kind: string | null
  readonly eventAt: number | null
  readonly data: string | null
}

type StoredFinding = LastEvent & RowOf<typeof findings> & { readonly tenant: string }

/** JSON stays text here: another program may have written something else. */
type StoredResult = LastEvent & Omit<RowOf<typeof checkStates>, 'open'> & { readonly open: string }

const findingsAtOnce = 1000

const findingsText = `select ${columnList(findings, 'f')}, t.name as tenant, e.kind, e.at as "eventAt", e.data
  from findings f join tenants t on t.id = f.tenant_id
    left join events e on e.id = ${lastEventOf(findingKinds, 'f.tenant_id', 'f.fingerprint')}
  where f.tenant_id = ? and f.id > ? order by f.id limit ${findingsAtOnce}`

// Retention empties the events of a finding together with it.
const missingText = `select e.subject from events e where e.tenant_id = ? and e.kind in (${listOfKinds(findingKinds)})
    and e.data is not null
    and not exists (select 1 from findings f where f.tenant_id = e.tenant_id and f.fingerprint = e.subject)
    and e.id = ${lastEventOf(findingKinds, 'e.tenant_id', 'e.subject')} order by +e.id`

const resultsText = `select ${columnList(checkStates, 's')}, e.kind, e.at as "eventAt", e.data
  from check_states s left join events e on e.id = ${lastEventOf(['result'], 's.tenant_id', 's."check"')}
  where s.tenant_id = ? order by s."check"`

const missingResultsText = `select e.subject from events e where e.tenant_id = ? and e.kind = 'result'
    and not exists (select 1 from check_states s where s.tenant_id = e.tenant_id and s."check" = e.subject)
    and e.id = ${lastEventOf(['result'], 'e.tenant_id', 'e.subject')} order by +e.id`

/** Compares the present state with the last events, because reports and metrics read that state. */
export async function stateMismatches(tx: Sql, tenantId: number): Promise<readonly StateMismatch[]> {
  const found = new Map<StateMismatch['what'], StateMismatch>()
  const add = (what: StateMismatch['what'], name: string) => {
    const { count = 0, first = name } = found.get(what) ?? {}
    found.set(what, { what, count: count + 1, first })
  }
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = await tx<StoredFinding>(findingsText, [tenantId, after])
    for (const row of rows) {
      if (row.kind === null) add('findings_inserted', row.fingerprint)
      else if (!isFindingOfEvent(row)) add('findings_changed', row.fingerprint)
    }
    if (rows.length < findingsAtOnce) break
    after = rows.at(-1)?.id ?? after
  }
  for (const fingerprint of await tx<string>(missingText, [tenantId], 'values')) add('findings_missing', fingerprint)
  for (const check of await tx<string>(missingResultsText, [tenantId], 'values')) add('results_missing', check)
  for (const row of await tx<StoredResult>(resultsText, [tenantId]))
    if (!isResultOfEvent(row)) add('results_changed', row.check)
  return [...found.values()]
}

function isFindingOfEvent(row: StoredFinding): boolean {
  const { kind, eventAt, fingerprint, resolvedAt, severity, message, evidence, firstSeenAt, reopened, resolution } = row
  if (fingerprintOf(row) !== fingerprint) return false
  if (resolvedAt !== (kind === 'finding.resolved' ? eventAt : null)) return false
  const { openedAt } = (parseJson(row.data ?? '') ?? {}) as Partial<FindingFacts>
  const facts = { severity, message, evidence: parseJson(evidence), firstSeenAt, reopened, resolution, openedAt }
  return JSON.stringify(facts) === row.data
}

function isResultOfEvent({ status, reason, entities, notEvaluated, since, rule, open, data }: StoredResult): boolean {
  const { previous = null } = (parseJson(data ?? '') ?? {}) as Partial<ResultFacts>
  const facts = { status, reason, entities, notEvaluated, since, rule, open: parseJson(open), previous }
  return JSON.stringify(facts) === data
}
