import { type CheckStatus, checkStatuses, type DecidedStatus } from '../../model/check-status.ts'
import { minFreshnessMs } from '../../model/freshness.ts'
import { type UnknownReason, unknownReasons } from '../../model/reasons.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { SeverityCounts } from '../../model/severity.ts'
import type { Db, Dialect, Sql } from '../db/db.ts'
import { eventAppender, type NewEvent } from '../event-store.ts'
import type { ResultFacts } from '../events.ts'
import type { Scalar } from '../records/query.ts'
import { fromJson, oneOf } from '../words.ts'
import { findingWriter, type ResolvedFinding, type WrittenFinding } from './finding-writer.ts'
import { type WaiverChanges, waiverWriter } from './waiver-store.ts'

/** Times are milliseconds since the epoch. */
export interface CheckStateRow {
  readonly check: string
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
  /** Null when not known. */
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly evaluatedAt: number
  /** First instant at which time alone changes the result; null = never. */
  readonly changesAt: number | null
  /** Last instant at which the result may be shown; null = no limit. */
  readonly validUntil: number | null
  /** Digest of all inputs of the result but the time; null if the check has to be evaluated again. */
  readonly basis: string | null
  /** Digest of the thresholds and lists in force; null when the check could not be evaluated. */
  readonly rule: string | null
  readonly open: Readonly<SeverityCounts>
  /** Why an own check cannot be evaluated, or the entities that a check could not evaluate; null = none. */
  readonly problem: string | null
}

export interface CheckResult
  extends DecidedStatus,
    Pick<CheckStateRow, 'check' | 'entities' | 'notEvaluated' | 'rule' | 'changesAt' | 'basis' | 'problem'> {
  /** Findings that are open after the changes, by severity. */
  readonly open: Readonly<SeverityCounts>
  readonly written: readonly WrittenFinding[]
  readonly resolved: readonly ResolvedFinding[]
  readonly waivers: WaiverChanges
}

/** Takes effect as a whole or not at all. */
export interface SavedResults {
  readonly results: readonly CheckResult[]
  /** Absent = unchanged. */
  readonly counts?: ReadonlyMap<ResourceName, VersionedCounts>
  /** How long a check result is shown without confirmation, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number | undefined
}

export interface GroupCount {
  readonly values: readonly Scalar[]
  readonly count: number
}

/** Counts of the live records of a resource, as of the last evaluation. */
export interface RecordCounts {
  readonly fields: readonly string[]
  /** By the values of these fields. */
  readonly groups: readonly GroupCount[]
  /** True if two records have the same value of the resource's unique field. */
  readonly repeats: boolean
}

export interface VersionedCounts extends RecordCounts {
  /** Of the records that were counted. */
  readonly version: number
}

interface StoredState extends Omit<CheckStateRow, 'status' | 'reason' | 'open'> {
  readonly status: string
  readonly reason: string | null
  readonly open: string
}

const statesText = `select "check", status, reason, entities, not_evaluated as "notEvaluated", since, evaluated_at as "evaluatedAt",
    changes_at as "changesAt", case when status <> 'unknown' then changes_at - 1 end as "validUntil", basis, rule, open, problem
  from check_states where tenant_id = ?`

const putStateText = `insert into check_states (tenant_id, "check", status, reason, entities, not_evaluated, since, evaluated_at,
    changes_at, basis, rule, open, problem) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (tenant_id, "check") do update set status = excluded.status, reason = excluded.reason,
    entities = excluded.entities, not_evaluated = excluded.not_evaluated, since = excluded.since,
    evaluated_at = excluded.evaluated_at, changes_at = excluded.changes_at, basis = excluded.basis, rule = excluded.rule,
    open = excluded.open, problem = excluded.problem`

const putCountsText = `insert into evaluated_counts (tenant_id, resource, counts, version) values (?, ?, ?, ?)
  on conflict (tenant_id, resource) do update set counts = excluded.counts, version = excluded.version`

async function readStates(tx: Sql, tenantId: number): Promise<ReadonlyMap<string, StoredState>> {
  return new Map((await tx<StoredState>(statesText, [tenantId])).map((row) => [row.check, row]))
}

export function resultStore(db: Db) {
  const append = eventAppender(db)
  const writeFindings = findingWriter(db)
  const waivers = waiverWriter(db)
  return {
    checkStates: (tenantId: number): Promise<readonly CheckStateRow[]> =>
      db.read(async (tx) => [...(await readStates(tx, tenantId)).values()].map(toCheckState)),
    async saveResults(
      tenantId: number,
      at: number,
      { results, counts, currentForMs = minFreshnessMs }: SavedResults,
    ): Promise<void> {
      await db.write(async (tx) => {
        const stored = await readStates(tx, tenantId)
        for (const result of results) {
          const before = stored.get(result.check)
          await writeFindings(tx, tenantId, { ...result, at, lastSeenAt: lastEvaluatedAt(before) })
          await waivers.lapse(tx, tenantId, at, result.waivers.lapsed)
          await waivers.accept(tx, tenantId, at, result.waivers.accepted)
          const since = await sinceOf(tx, db.dialect, tenantId, { result, at, before })
          const next = stateOf(result, at, since)
          // A new event unless the last result goes on without a gap.
          if (before === undefined || isAfterGap(before, at, currentForMs) || !isSameResult(before, next))
            await append(tx, tenantId, [resultEvent(next, at, before)])
          const { check, status, reason, entities, notEvaluated, changesAt, basis, rule, open, problem } = next
          const inputs = [changesAt, basis, rule, open, problem]
          await tx(putStateText, [tenantId, check, status, reason, entities, notEvaluated, since, at, ...inputs])
        }
        for (const [resource, { version, ...one }] of counts ?? [])
          await tx(putCountsText, [tenantId, resource, JSON.stringify(one), version])
      })
    },
    /** The last results of these checks are those of `at`, too: otherwise they are soon no longer shown. */
    async confirmResults(
      tenantId: number,
      checks: readonly string[],
      at: number,
      currentForMs = minFreshnessMs,
    ): Promise<void> {
      if (checks.length === 0) return
      const { isIn, listOf } = db.dialect
      await db.write(async (tx) => {
        const stored = await readStates(tx, tenantId)
        const gaps = checks.flatMap((check) => {
          const before = stored.get(check)
          return before !== undefined && isAfterGap(before, at, currentForMs) ? [resultEvent(before, at, before)] : []
        })
        await append(tx, tenantId, gaps)
        const text = `update check_states set evaluated_at = ? where tenant_id = ? and ${isIn('"check"')}`
        await tx(text, [at, tenantId, listOf(checks)])
      })
    },
    recordCounts: (tenantId: number): Promise<ReadonlyMap<ResourceName, VersionedCounts>> =>
      db.read(async (tx) => {
        const text = 'select resource, counts, version from evaluated_counts where tenant_id = ?'
        const rows = await tx<{ resource: string; counts: string; version: number }>(text, [tenantId])
        return new Map(
          rows.map(({ resource, counts, version }) => {
            return [oneOf(resourceNames, resource), { ...(fromJson(counts) as RecordCounts), version }]
          }),
        )
      }),
  }
}

function resultEvent(next: StoredState, at: number, last: StoredState | undefined): NewEvent {
  const { check, status, reason, entities, notEvaluated, since, rule, open } = next
  const previous = last === undefined ? null : { confirmedAt: last.evaluatedAt, validUntil: last.validUntil }
  const facts = { status, reason, entities, notEvaluated, since, rule, open: fromJson(open) as object, previous }
  return { kind: 'result', subject: check, at, data: facts satisfies ResultFacts }
}

const lastKnownText = (
  status: string,
) => `select data from events where tenant_id = ? and kind = 'result' and subject = ?
  and data is not null and ${status} <> 'unknown' order by id desc limit 1`

/** When the status began. A check that fails again after it was unknown has failed all the time: nothing says otherwise. */
async function sinceOf(
  tx: Sql,
  dialect: Dialect,
  tenantId: number,
  { result, at, before }: { result: CheckResult; at: number; before: StoredState | undefined },
): Promise<number> {
  const { check, status, reason } = result
  if (before?.status === status && before.reason === reason) return before.since
  if (before?.status !== 'unknown' || status !== 'fail') return at
  const [known] = await tx<string>(lastKnownText(dialect.jsonMember('data', 'status')), [tenantId, check], 'values')
  if (known === undefined) return at
  const last = fromJson(known) as ResultFacts
  return last.status === 'fail' ? last.since : at
}

function stateOf(result: CheckResult, evaluatedAt: number, since: number): StoredState {
  const { check, status, reason, entities, notEvaluated, changesAt, basis, rule, problem } = result
  const validUntil = status === 'unknown' || changesAt === null ? null : changesAt - 1
  const open = JSON.stringify(result.open)
  const times = { since, evaluatedAt, changesAt, validUntil }
  return { check, status, reason, entities, notEvaluated, ...times, basis, rule, open, problem }
}

function isSameResult(before: StoredState, next: StoredState): boolean {
  const names = ['status', 'reason', 'entities', 'notEvaluated', 'open', 'rule'] as const
  return names.every((name) => before[name] === next[name])
}

/** True if the stored result has expired, or is later than a clock that was set back: the history then has a gap. */
function isAfterGap({ evaluatedAt, validUntil }: StoredState, at: number, currentForMs: number): boolean {
  return at - evaluatedAt > currentForMs || at < evaluatedAt || (validUntil !== null && at > validUntil)
}

/** When open findings were last seen failing: at the last evaluation, or when the status became unknown. */
function lastEvaluatedAt(before: StoredState | undefined): number {
  if (before === undefined) return 0
  return before.status === 'unknown' ? before.since : before.evaluatedAt
}

function toCheckState({ status, reason, open, ...row }: StoredState): CheckStateRow {
  return {
    ...row,
    status: oneOf(checkStatuses, status),
    reason: reason === null ? null : oneOf(unknownReasons, reason),
    open: fromJson(open) as SeverityCounts,
  }
}
