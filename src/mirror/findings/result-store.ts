import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { checkStatuses, type Resolution } from '../../model/check-status.ts'
import { minuteMs } from '../../model/durations.ts'
import { minFreshnessMs } from '../../model/freshness.ts'
import { unknownReasons } from '../../model/reasons.ts'
import type { Severity } from '../../model/severity.ts'
import type { CheckResult, CheckStateRow, FindingStore, NewFinding } from '../port.ts'
import { oneOf } from '../records/record-codec.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { resultStatements, type StoredFinding, type StoredState } from './result-statements.ts'
import { batchSize, type StagedFinding, stagedFindings } from './staged-findings.ts'

/** Interval at which an unchanged check result is written; confirmations in between stay in memory. */
const confirmEveryMs = 5 * minuteMs

export interface ResultStore extends Operations<Pick<FindingStore, 'checkStates' | 'commitResult' | 'confirmResult'>> {
  /** Writes the rest of committed check results into the findings, for example after a crash. */
  settle(): Promise<void>
  flush(): void
}

type Counts = Partial<Record<Severity, number>>

interface ResultUpdate {
  readonly checkResult: CheckResult
  readonly seen: Set<number>
  readonly open: Counts
  failing: number
  pending: StagedFinding[]
  staged: boolean
  opened: number
  readonly resolved: Partial<Record<Resolution, number>>
}

/** Until the commit, staged differences have no effect; after it, `settle` writes the rest even after a crash. */
export function resultStore(database: Database): ResultStore {
  const sql = resultStatements(database)
  const staging = stagedFindings(database)
  const confirmed = new Map<string, { readonly tenantId: number; readonly check: string; readonly at: number }>()
  const keyOf = (tenantId: number, check: string) => `${tenantId} ${check}`

  function present(tenantId: number, state: StoredState): StoredState {
    const at = confirmed.get(keyOf(tenantId, state.check))?.at
    return at === undefined ? state : { ...state, evaluatedAt: at }
  }

  function compare(update: ResultUpdate, batch: readonly NewFinding[]): void {
    const known = new Map(sql.known(batch.map(({ fingerprint }) => fingerprint)))
    for (const { evidence: raw, facts = () => '{}', isSameEntity = () => true, ...finding } of batch) {
      const evidence = JSON.stringify(raw)
      const { fingerprint, severity, message } = finding
      const row = known.get(fingerprint)
      count(update.open, severity)
      update.failing++
      if (row !== undefined && row.resolvedAt === null) update.seen.add(row.id)
      const kind = kindOf(row, { severity, message, evidence, isSameEntity })
      if (kind === null) continue
      if (kind !== 'changed') update.opened++
      if (kind === 'replaced' && row?.resolvedAt === null) count(update.resolved, 'entity_removed')
      update.pending.push({
        ...finding,
        evidence,
        facts: facts(),
        kind,
        lastSeenAt: update.checkResult.at,
        resolution: null,
      })
    }
  }

  async function end(update: ResultUpdate, lastSeenAt: number): Promise<void> {
    const { tenantId, check, resolve } = update.checkResult
    const gone = sql.openIds.all(tenantId, check).filter((id) => !update.seen.has(id))
    for (let at = 0; at < gone.length; at += batchSize) {
      if (at > 0) await yieldToEventLoop()
      for (const row of sql.byId(gone.slice(at, at + batchSize))) {
        const resolution = await resolve({ ...row, evidence: JSON.parse(row.evidence) as Record<string, unknown> })
        if (resolution === null) {
          count(update.open, row.severity)
          continue
        }
        count(update.resolved, resolution)
        update.pending.push({ ...row, kind: 'resolved', lastSeenAt, resolution, facts: null })
      }
      stage(update)
    }
  }

  /** Bounds the memory for differences to those of one transaction. */
  function stage(update: ResultUpdate): void {
    if (update.pending.length <= batchSize) return
    const { tenantId, check, at } = update.checkResult
    database.transact('nothing', () => staging.stage(tenantId, check, at, update.pending))
    update.pending = []
    update.staged = true
  }

  function commit(update: ResultUpdate, before: StoredState | undefined, validUntil: number | null) {
    const { tenantId, check, at, entities, notEvaluated = null, rule, decide, currentForMs } = update.checkResult
    const { status, reason } = decide(update.failing)
    const open = JSON.stringify(update.open)
    const sameStatus = before?.status === status && before.reason === reason
    const sameCounts = before?.entities === entities && before.notEvaluated === notEvaluated && before.open === open
    const same = sameStatus && sameCounts && before.rule === rule
    if (same && before.validUntil === validUntil && !update.staged && update.pending.length === 0) {
      confirm(tenantId, check, at, currentForMs)
      return { status, reason }
    }
    const change = update.staged || update.pending.length > 0 ? { tenantId, check } : 'nothing'
    database.transact(change, () => {
      staging.stage(tenantId, check, at, update.pending)
      if (!update.staged) while (staging.apply(tenantId, check));
      const since = sameStatus ? before.since : at
      const state = { status, reason, entities, notEvaluated, since, evaluatedAt: at, validUntil, rule, open }
      const stored = sql.stateOf.get(tenantId, check)
      if (!same || stored === undefined || isGap(stored, at, currentForMs)) sql.record(tenantId, state, check)
      sql.putState(tenantId, check, { ...state, owing: update.staged })
    })
    confirmed.delete(keyOf(tenantId, check))
    return { status, reason }
  }

  function confirm(tenantId: number, check: string, at: number, currentForMs?: number): void {
    const state = sql.stateOf.get(tenantId, check)
    if (state === undefined) return
    if (isGap(state, at, currentForMs)) {
      database.transact('nothing', () => {
        sql.record(tenantId, { ...state, evaluatedAt: at }, check)
        sql.confirm.run(at, tenantId, check)
      })
      confirmed.delete(keyOf(tenantId, check))
      return
    }
    if (Math.abs(at - state.evaluatedAt) < confirmEveryMs) {
      confirmed.set(keyOf(tenantId, check), { tenantId, check, at })
      return
    }
    database.transact('nothing', () => sql.confirm.run(at, tenantId, check))
    confirmed.delete(keyOf(tenantId, check))
  }

  async function settleCheck(tenantId: number, check: string): Promise<void> {
    if (sql.stateOf.get(tenantId, check)?.owing !== 1) return
    while (database.transact({ tenantId, check }, () => settlePart(tenantId, check))) await yieldToEventLoop()
  }

  function settlePart(tenantId: number, check: string): boolean {
    // Another caller may have settled it; rows staged since then belong to an uncommitted check result.
    if (sql.stateOf.get(tenantId, check)?.owing !== 1) return false
    if (staging.apply(tenantId, check)) return true
    sql.settled.run(tenantId, check)
    return false
  }

  return {
    checkStates: (tenantId) =>
      database.run(() => sql.statesOf.all(tenantId).map((state) => toCheckState(present(tenantId, state)))),
    commitResult: (checkResult) =>
      database.run(async () => {
        const { tenantId, check } = checkResult
        await settleCheck(tenantId, check)
        while (staging.has(tenantId, check)) {
          database.transact('nothing', () => staging.discard(tenantId, check))
          await yieldToEventLoop()
        }
        const stored = sql.stateOf.get(tenantId, check)
        const before = stored && present(tenantId, stored)
        const update: ResultUpdate = {
          checkResult,
          seen: new Set(),
          open: {},
          failing: 0,
          pending: [],
          staged: false,
          opened: 0,
          resolved: {},
        }
        for await (const batch of checkResult.failing) {
          compare(update, batch)
          stage(update)
        }
        await end(update, lastEvaluatedAt(before))
        const isKnown = checkResult.decide(update.failing).status !== 'unknown'
        const validUntil = isKnown ? await checkResult.validUntil?.() : undefined
        const decided = commit(update, before, validUntil ?? null)
        if (update.staged) await settleCheck(tenantId, check)
        return {
          ...decided,
          ...(validUntil !== undefined && { validUntil }),
          opened: update.opened,
          resolved: update.resolved,
        }
      }),
    confirmResult: (tenantId, check, at, currentForMs) =>
      database.run(() => {
        confirm(tenantId, check, at, currentForMs)
      }),
    settle: () =>
      database.run(async () => {
        for (const { tenantId, check } of sql.owing.all()) await settleCheck(tenantId, check)
      }),
    flush() {
      if (confirmed.size === 0) return
      database.transact('nothing', () => {
        for (const { tenantId, check, at } of confirmed.values()) sql.confirm.run(at, tenantId, check)
      })
      confirmed.clear()
    },
  }
}

interface Failing extends Pick<NewFinding, 'severity' | 'message'> {
  readonly evidence: string
  readonly isSameEntity: NonNullable<NewFinding['isSameEntity']>
}

function kindOf(
  row: StoredFinding | undefined,
  { severity, message, evidence, isSameEntity }: Failing,
): StagedFinding['kind'] | null {
  if (row === undefined) return 'opened'
  if (row.evidence !== evidence && !isSameEntity(JSON.parse(row.evidence) as NewFinding['evidence'])) return 'replaced'
  if (row.resolvedAt !== null) return 'reopened'
  return row.severity === severity && row.message === message && row.evidence === evidence ? null : 'changed'
}

function count<Key extends string>(counts: Partial<Record<Key, number>>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1
}

/** An expired result, or one later than a clock that was set back: the record then shows the interruption. */
function isGap({ evaluatedAt, validUntil }: StoredState, at: number, currentForMs = minFreshnessMs): boolean {
  return at - evaluatedAt > currentForMs || at < evaluatedAt || (validUntil !== null && at > validUntil)
}

/** Open findings were last seen failing by the last evaluation, or when the status became unknown. */
function lastEvaluatedAt(before: StoredState | undefined): number {
  if (before === undefined) return 0
  return before.status === 'unknown' ? before.since : before.evaluatedAt
}

function toCheckState({ status, reason, open, owing: _, ...state }: StoredState): CheckStateRow {
  return {
    ...state,
    status: oneOf(checkStatuses, status),
    reason: reason === null ? null : oneOf(unknownReasons, reason),
    open: JSON.parse(open) as Counts,
  }
}
