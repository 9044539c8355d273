import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { hourMs } from '../../model/durations.ts'
import type { Database } from '../database.ts'
import type { ChainMismatch, ChainVerification } from './audit-port.ts'
import {
  type Chain,
  type ChainEntry,
  type ChainHead,
  ChainState,
  type DigestInForce,
  entriesAtOnce,
  RowsDigest,
} from './chain.ts'
import { compareFindings } from './compare-findings.ts'
import { compareLapses, compareResults } from './compare-results.ts'
import { type AuditLog, afterAnyRow, beforeAnyRow, logsOf, sharedChain, strayRows, timeIn } from './logs.ts'

interface Wanted {
  readonly tenantId: number
  readonly heads: readonly string[]
}

/** Tries: reading begins again if an erasure removes rows meanwhile. */
const mostTries = 5

const rowsAtOnce = 1000

/** Every evaluation seals; on PostgreSQL it leaves that to a later one if others write at the same time. */
const sealingToleranceMs = hourMs

export async function verifyChain(database: Database, chain: Chain, wanted: Wanted): Promise<ChainVerification> {
  for (let tries = 1; ; tries++) {
    const { state, heads } = await readChain(database, chain, wanted)
    const found: Found = { rows: 0, unsealed: 0, mismatches: [] }
    const { tenantId } = wanted
    const sealedBy = (await lastEvaluation(database, tenantId)) - sealingToleranceMs
    for (const log of logsOf(tenantId)) await compare(log, { database, chain, state, found, tenantId, sealedBy })
    if (tenantId !== sharedChain) {
      found.mismatches.push(...(await compareFindings(database, tenantId)))
      found.mismatches.push(...(await compareResults(database, tenantId)))
      found.mismatches.push(...(await compareLapses(database, tenantId)))
      found.mismatches.push(...(await compareSharedHeads(database, chain, state)))
    }
    if (tenantId === sharedChain) found.mismatches.push(...(await chainsWithoutTenant(database)))
    const { entries, firstAt, erasedRows: erased } = state
    if (found.mismatches.length > 0 && tries < mostTries) {
      const { state: later } = await readChain(database, chain, wanted)
      if (later.replacements !== state.replacements) continue
    }
    const mismatches = [...ofEntries(state), ...found.mismatches]
    return { ...found, entries, firstAt, head: headOf(state), erased, heads, mismatches }
  }
}

function headOf({ head }: ChainState): ChainHead | null {
  return head && { sequence: head.sequence, at: head.at, hash: head.hash }
}

/** Reads page by page, each in a transaction of its own: entries may be added in between, but none is skipped. */
async function readChain(database: Database, chain: Chain, { tenantId, heads }: Wanted) {
  const state = new ChainState(tenantId)
  const met: ChainHead[] = []
  for (;;) {
    const entries = await database.read((tx) => chain.entriesAfter.all(tx, tenantId, state.head?.sequence ?? 0))
    for (const entry of entries) {
      state.add(entry)
      const { sequence, at, hash } = entry
      if (heads.includes(hash)) met.push({ sequence, at, hash })
    }
    if (entries.length < entriesAtOnce) return { state, heads: met }
    await yieldToEventLoop()
  }
}

interface Found {
  rows: number
  unsealed: number
  readonly mismatches: ChainMismatch[]
}

interface Comparison {
  readonly database: Database
  readonly chain: Chain
  readonly state: ChainState
  readonly found: Found
  readonly tenantId: number
  /** Rows written before this time must be sealed. */
  readonly sealedBy: number
}

/** One pass over the rows; those after the end of one digest, up to the end of the next, belong to the next. */
async function compare(
  log: AuditLog,
  { database, chain, state, found, tenantId, sealedBy }: Comparison,
): Promise<void> {
  const digests = state.inForce.get(log) ?? []
  let at = 0
  let digest = new RowsDigest()
  let late = noRows
  let backdated = noneBackdated
  let strange = 0
  const end = (entry: DigestInForce) => {
    const mismatch = mismatchOf(entry, digest.end())
    if (mismatch !== null) found.mismatches.push(mismatch)
    const { count, firstAt, sealedBefore } = backdated
    if (count > 0) {
      const { sequence, at } = entry
      found.mismatches.push({ what: 'rows_backdated', sequence, at, log, count, firstAt, sealedBefore })
    }
    digest = new RowsDigest()
    backdated = noneBackdated
    at++
  }
  for (let after = beforeAnyRow; ; ) {
    const range = { tenantId, after, to: afterAnyRow, most: rowsAtOnce }
    const rows = await database.read((tx) => chain.rows[log](tx, range))
    for (const row of rows) {
      for (let entry = digests[at]; entry !== undefined && row[0] > entry.lastId; entry = digests[at]) end(entry)
      const entry = digests[at]
      const time = timeIn(log, row)
      if (!isTime(time)) strange++
      if (entry === undefined) {
        found.unsealed++
        if (time < sealedBy) late = withRow(late, time)
      } else {
        found.rows++
        digest.add(row)
        const sealedBefore = isSealedLate(time, entry) ? await sealedWithout(time, entry, { database, tenantId }) : null
        if (sealedBefore !== null) backdated = { ...withRow(backdated, time), sealedBefore }
      }
    }
    if (rows.length < rowsAtOnce) break
    after = rows.at(-1)?.[0] ?? after
    await yieldToEventLoop()
  }
  for (let entry = digests[at]; entry !== undefined; entry = digests[at]) end(entry)
  strange += (await database.read((tx) => strayRows(tx, database, log, tenantId))) ?? 0
  if (strange > 0) found.mismatches.push({ what: 'rows_out_of_range', log, count: strange })
  if (late.count > 0) found.mismatches.push({ what: 'rows_not_sealed', log, count: late.count, at: late.firstAt })
}

/** The last millisecond of a date. */
const latestTime = 8.64e15

/** SQLite stores whatever another program writes. */
const isTime = (time: number) => Number.isSafeInteger(time) && time > 0 && time <= latestTime

const noRows = { count: 0, firstAt: Number.POSITIVE_INFINITY }

function withRow({ count, firstAt }: typeof noRows, time: number) {
  return { count: count + 1, firstAt: Math.min(firstAt, time) }
}

const noneBackdated = { ...noRows, sealedBefore: 0 }

/** True for few rows; only for these the sealings in between must be read. */
function isSealedLate(time: number, { at, replaces }: DigestInForce): boolean {
  return replaces === 0 && at > time + sealingToleranceMs
}

/**
 * Time of a sealing more than an hour after the row's date that lacks the row; null = none. A clock that is still set
 * back dates rows and their entry alike. Every evaluation of a tenant also seals the shared chain.
 */
async function sealedWithout(
  time: number,
  { at, sealedBefore }: DigestInForce,
  { database, tenantId }: Pick<Comparison, 'database' | 'tenantId'>,
): Promise<number | null> {
  const after = time + sealingToleranceMs
  if (sealedBefore !== null && at >= sealedBefore && sealedBefore > after) return sealedBefore
  if (tenantId !== sharedChain) return null
  const ofTenants = database.prepareValues<[number, number], number | null>(
    `select max(at) from audit_chain where tenant_id <> ${sharedChain} and replaces = 0 and at > ? and at < ?`,
  )
  return (await database.read((tx) => ofTenants.get(tx, after, at))) ?? null
}

/** In milliseconds since the epoch; 0 = none. */
async function lastEvaluation(database: Database, tenantId: number): Promise<number> {
  const last = database.prepareValues<[number, number], number | null>(
    `select max(evaluated_at) from check_states where tenant_id = ? or ? = ${sharedChain}`,
  )
  return (await database.read((tx) => last.get(tx, tenantId, tenantId))) ?? 0
}

/** Checks that the shared chain still has the heads in the tenant's entries; its rows are compared separately. */
async function compareSharedHeads(database: Database, chain: Chain, state: ChainState): Promise<ChainMismatch[]> {
  const differing: ChainMismatch[] = []
  for (const { sequence, at, firstId, digest } of state.sharedHeads) {
    const hash = await database.read((tx) => chain.hashAt(tx, sharedChain, firstId))
    if (hash !== digest) differing.push({ what: 'configuration_chain_changed', sequence, at })
  }
  return differing
}

/** A purge erases a tenant's chain, too, so a chain without a tenant means that its row was removed by hand. */
async function chainsWithoutTenant(database: Database): Promise<ChainMismatch[]> {
  const orphans = database.prepare<[], { readonly tenantId: number; readonly entries: number; readonly at: number }>(
    `select tenant_id as "tenantId", count(*) as entries, max(at) as at from audit_chain
     where tenant_id <> ${sharedChain} and tenant_id not in (select id from tenants) group by tenant_id order by tenant_id`,
  )
  return (await database.read((tx) => orphans.all(tx))).map((orphan) => ({ what: 'tenant_missing', ...orphan }))
}

function mismatchOf(entry: ChainEntry, found: Pick<ChainEntry, 'rows' | 'digest'>): ChainMismatch | null {
  if (entry.digest === found.digest && entry.rows === found.rows) return null
  const { sequence, at, log, firstId, lastId, rows: sealed } = entry
  const what = found.rows < sealed ? 'rows_missing' : found.rows > sealed ? 'rows_inserted' : 'rows_changed'
  return { what, sequence, at, log, firstId, lastId, sealed, found: found.rows }
}

function ofEntries({ broken, differing }: ChainState): readonly ChainMismatch[] {
  return [
    ...broken.map(({ entry: { sequence, at }, missing }): ChainMismatch => {
      return missing > 0 ? { what: 'entries_missing', sequence, at, missing } : { what: 'entry_changed', sequence, at }
    }),
    ...differing.map(({ sequence, at, log, firstId, lastId, rows }): ChainMismatch => {
      return { what: 'differed_at_erasure', sequence, at, log, firstId, lastId, sealed: rows, found: rows }
    }),
  ]
}
