import { inflateRawSync } from 'node:zlib'
import { checkStatuses } from '../../model/check-status.ts'
import { unknownReasons } from '../../model/reasons.ts'
import type { NotedConfiguration, PastReader, PastRun } from '../findings/evidence-port.ts'
import { pastLapses } from '../findings/waiver-record.ts'
import type { CheckStateRow } from '../port.ts'
import { oneOf } from '../records/one-of.ts'
import type { RecordAsOf } from '../records/record-as-of.ts'
import { resourceOf } from '../records/resource-of.ts'
import type { Database } from '../sqlite/database.ts'
import { pastFindings, pastPresence } from './past-findings.ts'

interface StoredState extends Omit<CheckStateRow, 'status' | 'reason' | 'open' | 'since'> {
  readonly at: number
  readonly status: string
  readonly reason: string | null
  readonly since: number | null
  readonly open: string
}

export interface PastMoment {
  readonly at: number
  readonly present: boolean
  readonly asOf: RecordAsOf
}

export function pastReader(database: Database, { at, present, asOf }: PastMoment): PastReader {
  const { raw } = database
  const configuration = raw.prepare<[], Omit<NotedConfiguration, 'content'> & { readonly content: Buffer }>(
    `select at, digest, content from configurations where ${asOf.within('configurations')} order by id desc limit 1`,
  )
  const states = raw.prepare<[number], StoredState>(
    `select c."check", c.at, c.status, c.reason, c.entities, c.not_evaluated as notEvaluated, c.since, c.rule, c.open,
       coalesce(c.confirmed_at, s.evaluated_at, c.at) as evaluatedAt
     from check_status_changes c left join check_states s on s.tenant_id = c.tenant_id and s."check" = c."check"
     where c.id in (select max(id) from check_status_changes
       where tenant_id = ? and ${asOf.within('check_status_changes')} group by "check") order by c."check"`,
  )
  const tenantState = raw
    .prepare<[number], string>(
      `select state from tenant_states where tenant_id = ? and ${asOf.within('tenant_states')} order by id desc limit 1`,
    )
    .pluck()
  const runs = raw.prepare<[number], PastRun>(
    `select resource, ended_at as endedAt, complete_started_at as completeStartedAt,
       complete_duration_ms as completeDurationMs, live
     from runs where id in (select max(id) from runs where tenant_id = ? and ${asOf.within('runs')} group by resource)`,
  )
  return {
    at,
    setBackFrom: asOf.setBackFrom,
    clampToLife: asOf.clampToLife,
    async configuration() {
      const row = configuration.get()
      return row === undefined
        ? null
        : { ...row, at: asOf.clampToLife(row.at), content: inflateRawSync(row.content).toString() }
    },
    checkStates: async (tenantId) => states.all(tenantId).map((row) => toState(row, present ? row.evaluatedAt : at)),
    tenantState: async (tenantId) => tenantState.get(tenantId) ?? null,
    runs: async (tenantId) => runs.all(tenantId).map((run) => ({ ...run, resource: resourceOf(run.resource) })),
    findings: pastFindings(database, asOf),
    ...pastLapses(database, asOf),
    isLive: pastPresence(database, asOf),
  }
}

/** A result confirmed later counts as confirmed at `at`. */
function toState({ at: changedAt, ...row }: StoredState, at: number): CheckStateRow {
  return {
    ...row,
    status: oneOf(checkStatuses, row.status),
    reason: row.reason === null ? null : oneOf(unknownReasons, row.reason),
    since: row.since ?? changedAt,
    evaluatedAt: Math.min(row.evaluatedAt, at),
    open: JSON.parse(row.open) as CheckStateRow['open'],
  }
}
