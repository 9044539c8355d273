import type { DecidedStatus } from '../../model/check-status.ts'
import { minFreshnessMs } from '../../model/freshness.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { SeverityCounts } from '../../model/severity.ts'
import type { Db, Dialect, Sql } from '../db/db.ts'
import { appendEvents, type NewEvent } from '../event-store.ts'
import type { ResultFacts } from '../events.ts'
import { fromJson, type RowOf, selectRows, upsertRow } from '../rows.ts'
import { checkStates, evaluatedCounts, type RecordCounts } from '../schema/index.ts'
import { type ResolvedFinding, type WrittenFinding, writeFindings } from './finding-writer.ts'
import { lapseWaivers, type WaiverLapse } from './waiver-store.ts'

/** Times are milliseconds since the epoch. */
export type CheckStateRow = RowOf<typeof checkStates> & {
  /** Last instant at which the result may be shown; null = no limit. */
  readonly validUntil: number | null
}

export interface CheckResult
  extends DecidedStatus,
    Pick<CheckStateRow, 'check' | 'entities' | 'notEvaluated' | 'rule' | 'changesAt' | 'basis' | 'problem'> {
  /** Findings that are open after the changes, by severity. */
  readonly open: Readonly<SeverityCounts>
  readonly written: readonly WrittenFinding[]
  readonly resolved: readonly ResolvedFinding[]
  /** Waivers that no longer cover findings. */
  readonly lapsed: readonly WaiverLapse[]
}

/** Takes effect as a whole or not at all. */
export interface SavedResults {
  readonly results: readonly CheckResult[]
  /** Absent = unchanged. */
  readonly counts?: ReadonlyMap<ResourceName, VersionedCounts>
  /** How long a check result is shown without confirmation, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number | undefined
}

export interface VersionedCounts extends RecordCounts {
  /** Of the records that were counted. */
  readonly version: number
}

async function readStates(tx: Sql, tenantId: number): Promise<ReadonlyMap<string, CheckStateRow>> {
  const rows = await selectRows(tx, checkStates, 'where tenant_id = ?', [tenantId])
  return new Map(rows.map((row) => [row.check, { ...row, validUntil: validUntil(row) }]))
}

function validUntil({ status, changesAt }: Pick<CheckStateRow, 'status' | 'changesAt'>): number | null {
  return status === 'unknown' || changesAt === null ? null : changesAt - 1
}

export function resultStore(db: Db) {
  return {
    checkStates: (tenantId: number): Promise<readonly CheckStateRow[]> =>
      db.read(async (tx) => [...(await readStates(tx, tenantId)).values()]),
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
          await lapseWaivers(tx, tenantId, at, result.lapsed)
          const { check, status, reason, entities, notEvaluated, changesAt, basis, rule, open, problem } = result
          const since = await sinceOf(tx, tenantId, { result, at, before })
          const next = {
            ...{ tenantId, check, status, reason, entities, notEvaluated, since, evaluatedAt: at },
            ...{ changesAt, basis, rule, open, problem },
          }
          // A new event unless the last result goes on without a gap.
          if (before === undefined || isAfterGap(before, at, currentForMs) || !isSameResult(before, next))
            await appendEvents(tx, tenantId, [resultEvent(next, at, before)])
          await upsertRow(tx, checkStates, next)
        }
        for (const [resource, { version, ...one }] of counts ?? [])
          await upsertRow(tx, evaluatedCounts, { tenantId, resource, counts: one, version })
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
      const { isIn } = db.dialect
      await db.write(async (tx) => {
        const stored = await readStates(tx, tenantId)
        const gaps = checks.flatMap((check) => {
          const before = stored.get(check)
          return before !== undefined && isAfterGap(before, at, currentForMs) ? [resultEvent(before, at, before)] : []
        })
        await appendEvents(tx, tenantId, gaps)
        const text = `update check_states set evaluated_at = ? where tenant_id = ? and ${isIn('"check"')}`
        await tx(text, [at, tenantId, checks])
      })
    },
    recordCounts: (tenantId: number): Promise<ReadonlyMap<ResourceName, VersionedCounts>> =>
      db.read(async (tx) => {
        const rows = await selectRows(tx, evaluatedCounts, 'where tenant_id = ?', [tenantId])
        return new Map(rows.map(({ resource, counts, version }) => [resource, { ...counts, version }]))
      }),
  }
}

type NextState = RowOf<typeof checkStates>

function resultEvent(next: NextState, at: number, last: CheckStateRow | undefined): NewEvent {
  const { check, status, reason, entities, notEvaluated, since, rule, open } = next
  const previous = last === undefined ? null : { confirmedAt: last.evaluatedAt, validUntil: last.validUntil }
  const facts = { status, reason, entities, notEvaluated, since, rule, open, previous }
  return { kind: 'result', subject: check, at, data: facts satisfies ResultFacts }
}

/** Or the last one without a status: before the first full sync, or while the check was off. */
const lastKnownText = ({
  jsonMember,
}: Dialect) => `select data from events where tenant_id = ? and kind = 'result' and subject = ?
  and data is not null and (${jsonMember('data', 'status')} <> 'unknown' or ${jsonMember('data', 'reason')} = 'never')
  order by id desc limit 1`

/** When the status began. A check that fails again after it was unknown has failed all the time: nothing says otherwise. */
async function sinceOf(
  tx: Sql,
  tenantId: number,
  { result, at, before }: { result: CheckResult; at: number; before: CheckStateRow | undefined },
): Promise<number> {
  const { check, status, reason } = result
  // With another reason unless the clock was ahead.
  if (before?.status === status && (before.reason === reason || before.since <= at)) return before.since
  if (before?.status !== 'unknown' || status !== 'fail') return at
  const [known] = await tx<string>(lastKnownText(tx.dialect), [tenantId, check], 'values')
  if (known === undefined) return at
  const last = fromJson(known) as ResultFacts
  return last.status === 'fail' ? last.since : at
}

function isSameResult(before: NextState, next: NextState): boolean {
  const facts = ({ status, reason, entities, notEvaluated, open, rule }: NextState) =>
    JSON.stringify([status, reason, entities, notEvaluated, open, rule])
  return facts(before) === facts(next)
}

/** True if the stored result has expired, or is later than a clock that was set back: the history then has a gap. */
function isAfterGap({ evaluatedAt, validUntil }: CheckStateRow, at: number, currentForMs: number): boolean {
  return at - evaluatedAt > currentForMs || at < evaluatedAt || (validUntil !== null && at > validUntil)
}

/** When open findings were last seen failing: at the last evaluation, or when the status became unknown. */
function lastEvaluatedAt(before: CheckStateRow | undefined): number {
  if (before === undefined) return 0
  return before.status === 'unknown' ? before.since : before.evaluatedAt
}
