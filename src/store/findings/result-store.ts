import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { checkStatuses, type Resolution } from '../../model/check-status.ts'
import type { DecidedStatus } from '../../model/decide-status.ts'
import { unknownReasons } from '../../model/reasons.ts'
import type { SeverityCounts } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { CheckResult, CheckStateRow, CommittedResult, FindingStore, NewFinding } from '../port.ts'
import { oneOf } from '../words.ts'
import { confirmationStore, confirmedState, isGap } from './confirmations.ts'
import { resultStatements, type StoredFinding, type StoredState } from './result-statements.ts'
import { sameFacts } from './same-facts.ts'
import { batchSize, type StagedFinding, stagedFindings } from './staged-findings.ts'

type ResultPart = Pick<
  FindingStore,
  'checkStates' | 'commitResult' | 'confirmResult' | 'expirePasses' | 'resultBatch' | 'storeConfirmations'
>

export interface ResultStore extends ResultPart {
  /** Applies the remaining differences of committed check results, for example after a crash. */
  settle(): Promise<void>
  flush(): Promise<void>
}

interface ResultUpdate {
  readonly checkResult: CheckResult
  readonly seen: Set<number>
  readonly open: SeverityCounts
  failing: number
  pending: StagedFinding[]
  staged: boolean
  opened: number
  readonly resolved: Partial<Record<Resolution, number>>
}

/** A check result that takes effect by one more transaction. */
interface PreparedResult {
  readonly update: ResultUpdate
  readonly before: StoredState | undefined
  readonly decided: DecidedStatus
  readonly validUntil: number | null
}

/** Staged differences have no effect before the commit; after it, `settle` applies the rest, even after a crash. */
export function resultStore(database: Database): ResultStore {
  const sql = resultStatements(database)
  const staging = stagedFindings(database)
  const confirmations = confirmationStore(database, sql)

  async function compare(update: ResultUpdate, batch: readonly NewFinding[]): Promise<void> {
    const rows = await database.read((tx) =>
      sql.known(
        tx,
        batch.map(({ fingerprint }) => fingerprint),
      ),
    )
    const known = new Map(rows.map((row) => [row.fingerprint, row] as const))
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
    const open = await database.read((tx) => sql.openIds.all(tx, tenantId, check))
    const gone = open.filter((id) => !update.seen.has(id))
    for (let at = 0; at < gone.length; at += batchSize) {
      if (at > 0) await yieldToEventLoop()
      for (const row of await database.read((tx) => sql.byId(tx, gone.slice(at, at + batchSize)))) {
        const resolution = await resolve({ ...row, evidence: JSON.parse(row.evidence) as Record<string, unknown> })
        if (resolution === null) {
          count(update.open, row.severity)
          continue
        }
        count(update.resolved, resolution)
        update.pending.push({ ...row, kind: 'resolved', lastSeenAt, resolution, facts: null })
      }
      await stage(update)
    }
  }

  /** Bounds the memory for differences to those of one transaction. */
  async function stage(update: ResultUpdate): Promise<void> {
    if (update.pending.length <= batchSize) return
    const { tenantId, check, at } = update.checkResult
    await database.write('nothing', (tx) => staging.stage(tx, tenantId, check, at, update.pending))
    update.pending = []
    update.staged = true
  }

  /** Settles owed differences and discards staged ones; returns the stored state. */
  async function unencumbered(tenantId: number, check: string): Promise<StoredState | undefined> {
    for (;;) {
      const confirmation = confirmations.last(tenantId, check)
      const { stored, isStaged } = await database.read(async (tx) => {
        return { stored: await sql.stateOf.get(tx, tenantId, check), isStaged: await staging.has(tx, tenantId, check) }
      })
      if (isOwing(stored)) await settleCheck(tenantId, check)
      else if (!isStaged) return stored && confirmedState(stored, confirmation)
      else {
        await database.write('nothing', (tx) => discardPart(tx, tenantId, check))
        await yieldToEventLoop()
      }
    }
  }

  async function discardPart(tx: Sql, tenantId: number, check: string): Promise<void> {
    // Keep rows that a committed check result owes.
    if (!isOwing(await sql.stateOf.get(tx, tenantId, check))) await staging.discard(tx, tenantId, check)
  }

  async function prepare(checkResult: CheckResult): Promise<PreparedResult & { readonly committed: CommittedResult }> {
    const { tenantId, check } = checkResult
    const before = await unencumbered(tenantId, check)
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
      await compare(update, batch)
      await stage(update)
    }
    await end(update, lastEvaluatedAt(before))
    const decided = checkResult.decide(update.failing)
    const validUntil = decided.status === 'unknown' ? undefined : await checkResult.validUntil?.()
    const { opened, resolved } = update
    return {
      update,
      before,
      decided,
      validUntil: validUntil ?? null,
      committed: { ...decided, ...(validUntil !== undefined && { validUntil }), opened, resolved },
    }
  }

  async function commitAll(prepared: readonly PreparedResult[]): Promise<void> {
    const changed = prepared.filter((one) => !isRepeated(one))
    if (changed.length > 0) {
      const changes = changed.flatMap(({ update: { staged, pending, checkResult } }) => {
        return staged || pending.length > 0 ? [checkResult] : []
      })
      await database.write(changes, async (tx) => {
        for (const one of changed) await put(tx, one)
      })
    }
    for (const one of prepared) {
      const { tenantId, check, at, currentForMs } = one.update.checkResult
      if (isRepeated(one)) await confirmations.confirm(tenantId, check, at, currentForMs)
      else confirmations.forget(tenantId, check)
      if (one.update.staged) await settleCheck(tenantId, check)
    }
  }

  function isSame({ update, before, decided }: PreparedResult): boolean {
    const { entities, notEvaluated = null, rule } = update.checkResult
    const sameStatus = before?.status === decided.status && before.reason === decided.reason
    const sameCounts = before?.entities === entities && before.notEvaluated === notEvaluated
    return sameStatus && sameCounts && before.open === JSON.stringify(update.open) && before.rule === rule
  }

  function isRepeated(prepared: PreparedResult): boolean {
    const { update, before, validUntil } = prepared
    return isSame(prepared) && before?.validUntil === validUntil && !update.staged && update.pending.length === 0
  }

  async function put(tx: Sql, prepared: PreparedResult): Promise<void> {
    const { update, before, decided, validUntil } = prepared
    const { tenantId, check, at, entities, notEvaluated = null, rule, currentForMs } = update.checkResult
    const { status, reason } = decided
    await staging.stage(tx, tenantId, check, at, update.pending)
    if (!update.staged && update.pending.length > 0) while (await staging.apply(tx, tenantId, check));
    const since = before?.status === status && before.reason === reason ? before.since : at
    const open = JSON.stringify(update.open)
    const state = { status, reason, entities, notEvaluated, since, evaluatedAt: at, validUntil, rule, open }
    const stored = await confirmations.written(tx, tenantId, check)
    const isNew = !isSame(prepared) || stored === undefined || isGap(stored, at, currentForMs)
    if (isNew) await sql.record(tx, tenantId, state, check)
    await sql.putState(tx, tenantId, check, { ...state, owing: update.staged })
  }

  async function settleCheck(tenantId: number, check: string): Promise<void> {
    if (!isOwing(await database.read((tx) => sql.stateOf.get(tx, tenantId, check)))) return
    while (await database.write({ tenantId, check }, (tx) => settlePart(tx, tenantId, check))) await yieldToEventLoop()
  }

  async function settlePart(tx: Sql, tenantId: number, check: string): Promise<boolean> {
    // Another caller may have settled it; later staged rows belong to an uncommitted check result.
    if (!isOwing(await sql.stateOf.get(tx, tenantId, check))) return false
    if (await staging.apply(tx, tenantId, check)) return true
    await sql.settled.run(tx, tenantId, check)
    return false
  }

  return {
    checkStates: async (tenantId) => {
      const last = confirmations.of(tenantId)
      const states = await database.read((tx) => sql.statesOf.all(tx, tenantId))
      return states.map((state) => toCheckState(confirmedState(state, last.get(state.check))))
    },
    commitResult: async (checkResult) => {
      const prepared = await prepare(checkResult)
      await commitAll([prepared])
      return prepared.committed
    },
    resultBatch() {
      let pending: PreparedResult[] = []
      let changes = 0
      const commit = async () => {
        const prepared = pending
        pending = []
        changes = 0
        await commitAll(prepared)
      }
      return {
        add: async (checkResult) => {
          const prepared = await prepare(checkResult)
          const { staged, pending: own } = prepared.update
          if (staged || changes + own.length > batchSize) await commit()
          pending.push(prepared)
          changes += own.length
          if (staged) await commit()
          return prepared.committed
        },
        commit,
      }
    },
    confirmResult: (tenantId, check, at, currentForMs) => confirmations.confirm(tenantId, check, at, currentForMs),
    expirePasses: (tenantId) => confirmations.expirePasses(tenantId),
    storeConfirmations: () => confirmations.storeDue(),
    settle: async () => {
      for (const { tenantId, check } of await database.read((tx) => sql.owing.all(tx)))
        await settleCheck(tenantId, check)
    },
    flush: () => confirmations.flush(),
  }
}

const isOwing = (state: StoredState | undefined) => state?.owing === 1

interface Failing extends Pick<NewFinding, 'severity' | 'message'> {
  readonly evidence: string
  readonly isSameEntity: NonNullable<NewFinding['isSameEntity']>
}

function kindOf(
  row: StoredFinding | undefined,
  { severity, message, evidence, isSameEntity }: Failing,
): StagedFinding['kind'] | null {
  if (row === undefined) return 'opened'
  // Compare evidence first: that of an earlier reading stays, and is compared at each evaluation.
  const isSame = sameFacts(row.evidence, evidence)
  if (!isSame && !isSameEntity(JSON.parse(row.evidence) as NewFinding['evidence'])) return 'replaced'
  if (row.resolvedAt !== null) return 'reopened'
  return row.severity === severity && row.message === message && isSame ? null : 'changed'
}

function count<Key extends string>(counts: Partial<Record<Key, number>>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1
}

/** When open findings were last seen failing: at the last evaluation, or when the status became unknown. */
function lastEvaluatedAt(before: StoredState | undefined): number {
  if (before === undefined) return 0
  return before.status === 'unknown' ? before.since : before.evaluatedAt
}

function toCheckState({ status, reason, open, owing: _, ...state }: StoredState): CheckStateRow {
  return {
    ...state,
    status: oneOf(checkStatuses, status),
    reason: reason === null ? null : oneOf(unknownReasons, reason),
    open: JSON.parse(open) as SeverityCounts,
  }
}
