import type { TenantSettings } from '../../config/settings.ts'
import type { SyncError } from '../../model/errors.ts'
import { takesUpdatedAfter } from '../../model/resource.ts'
import { greatestSkewMs } from '../../model/server-clock.ts'
import { dayMs, minuteMs } from '../../model/time.ts'
import type { Absence, AbsentRecord, BudgetQuery, FullSyncRow, RemovalBudget } from '../../store/port.ts'
import { raiseHold } from '../context.ts'
import { fullSyncMs, type Run } from '../run.ts'
import { confirmByTime, fullSyncsToRemove } from './confirm-by-time.ts'

export type RemovalRule = 'confirm' | 'two-full-syncs'

export interface RemovalPlan {
  readonly due: readonly AbsentRecord[]
  readonly held: readonly AbsentRecord[]
  /** The rule that holds the removals, in words; null = none. */
  readonly why: string | null
}

type Limits = Pick<TenantSettings['removals'], 'maxCount' | 'maxPercent'>

export interface GuardBudget extends RemovalBudget {
  /** Live records that replace removed ones: API clients created in the last 24 hours. */
  readonly replacing: number
}

/**
 * The shrink guard (docs/internals/sync.md#6-shrink-guard). During a hold the base is from 24 hours before it began, so that new
 * records do not lift it; accepted removals do not count.
 */
export function planRemovals(
  { live, absent }: Absence,
  rule: RemovalRule,
  limits: Limits,
  { base, removed, removedNew, created, replacing }: GuardBudget,
): RemovalPlan {
  const due = absent.filter(
    ({ accepted, fullSyncs }) => accepted || rule === 'confirm' || fullSyncs >= fullSyncsToRemove,
  )
  const unasked = due.filter(({ accepted }) => !accepted)
  const since = live - (due.length - unasked.length) + removed
  const dueNew = unasked.filter(({ firstSeenAt }) => firstSeenAt > base.after && firstSeenAt <= base.until).length
  const gone = removed + unasked.length
  const all = { gone: gone - replacing, of: since }
  // New ones that are gone again are replaced first: the others replace old ones.
  const old = { gone: gone - Math.max(removedNew + dueNew, replacing), of: Math.max(0, since - created) }
  const why = unasked.length === 0 ? null : brokenRule({ live, all, old }, limits)
  if (why === null) return { due, held: [], why }
  return { due: due.filter(({ accepted }) => accepted), held: unasked, why }
}

interface Share {
  readonly gone: number
  readonly of: number
}

interface Shares {
  readonly live: number
  /** Of the records that were live at some time since the base. */
  readonly all: Share
  /** Of those that were live then. */
  readonly old: Share
}

function brokenRule({ live, all, old }: Shares, { maxCount, maxPercent }: Limits): string | null {
  const named = ({ of }: Share) => {
    if (of === live || of === 0) return ''
    return ` of the ${of} that were live ${of === old.of ? '24 hours ago or at the first full sync' : 'since'}`
  }
  const half = [old, all].find(({ gone, of }) => of > 1 && gone * 2 > of)
  if (half) return `more than half${named(half)} is always held`
  const tooMany = [old, all].find(({ gone, of }) => gone > maxCount && gone * 100 > maxPercent * of)
  return tooMany ? `limits: ${maxCount} records and ${maxPercent} percent${named(tooMany)}` : null
}

/** Ends a full sync and applies its removals in one transaction; returns the error of a shrink hold, else null. */
export async function decideRemovals(run: Run, ended: FullSyncRow): Promise<SyncError | null> {
  const { context, tenantId, definition } = run
  const { store, clock, settings, log } = context
  const { name } = definition
  const rule: RemovalRule = definition.kind === 'feed' ? definition.removal : 'two-full-syncs'
  // Look-ups prove it themselves.
  if (rule === 'two-full-syncs') await proveBeforeRemovals(run)
  const first = await absenceFrom(run, ended)
  const budget = await budgetOf(run, first)
  const { due, held, why } = planRemovals(first, rule, settings.removals, budget)
  const asked = [...due.filter(({ accepted }) => !accepted), ...newlyAbsent(first)]
  const byTime = rule === 'two-full-syncs' && takesUpdatedAfter(definition) && asked.length > 0
  const isConfirmed = byTime ? await confirmByTime(run, definition, ended, asked) : true
  // Read again: the confirmation may have returned records, also one without a readable id.
  const fullSync = (byTime ? await store.openFullSync(tenantId, name) : null) ?? ended
  const absence = fullSync.notWhole || byTime ? await absenceFrom(run, fullSync) : first
  run.guard.insist(run)
  const at = clock.now()
  const stillAbsent = new Set(rids(absence.absent))
  const counted = due.filter(({ accepted }) => accepted || rule === 'confirm' || isConfirmed)
  const allowed = rids(counted).filter((rid) => stillAbsent.has(rid))
  const removeNow = rule === 'two-full-syncs' ? allowed : []
  const removing = new Set(removeNow)
  // An absent record may be one without a readable id; one whose removal could not be confirmed may be gone.
  const unconfirmed = isConfirmed ? allowed : rids(due).filter((rid) => stillAbsent.has(rid))
  // So many that the guard would hold them are not taken for removed ones that the next full sync confirms.
  const isMass = rule === 'two-full-syncs' && planRemovals(absence, 'confirm', settings.removals, budget).why !== null
  const suspects = isMass ? rids(newlyAbsent(absence)) : []
  const missing = fullSync.notWhole
    ? rids((await store.absence(fullSync.id, run.seen)).absent)
    : [...unconfirmed, ...suspects]
  const refusal = why === null ? null : await raise(run, { held, why, live: absence.live, budget })
  run.counts.removed += await store.completeFullSync({
    fullSyncId: fullSync.id,
    seen: run.seen,
    at,
    durationMs: fullSyncMs(run),
    // Cursors of a paged list are only valid within one full sync, so none is stored.
    ...(fullSync.lastCursor === null || definition.kind !== 'feed' ? {} : { cursor: fullSync.lastCursor }),
    removedAt: timesOf(run).latest,
    remove: removeNow,
    absent: isRepeated(run, fullSync) ? [] : rids(absence.absent).filter((rid) => !removing.has(rid)),
    // Those that are removed now are not missing.
    missing: missing.filter((rid) => !removing.has(rid)),
  })
  // Only now: until then the hold alone says that records are missing.
  if (refusal === null && !fullSync.notWhole) await store.liftHold(tenantId, name, 'shrink_held')
  await run.fullSyncCompleted()
  if (fullSync.notWhole)
    log.warn(
      { resource: name },
      'Records without a readable id, or with one id and different values, were shown; nothing is removed',
    )
  return refusal
}

const noBudget: GuardBudget = { base: { after: 0, until: 0 }, removed: 0, removedNew: 0, created: 0, replacing: 0 }

/** Least time between two full syncs of API clients that both count, as changed roles bring one forward. */
const leastApartMs = minuteMs

/** True for a full sync of API clients so soon after another one that it is no second witness of their absence. */
function isRepeated({ definition, state }: Run, { startedAt }: FullSyncRow): boolean {
  const { completeStartedAt } = state
  return (
    definition.kind === 'pagedList' &&
    completeStartedAt !== null &&
    Math.abs(startedAt - completeStartedAt) < leastApartMs
  )
}

/** What a full sync says of absence: nothing if it is not whole. */
async function absenceFrom(run: Run, fullSync: FullSyncRow): Promise<Absence> {
  if (fullSync.notWhole) return { live: 0, absent: [] }
  const absence = await run.context.store.absence(fullSync.id, run.seen)
  if (!isRepeated(run, fullSync)) return absence
  return { ...absence, absent: absence.absent.map((one) => ({ ...one, fullSyncs: one.fullSyncs - 1 })) }
}

/** Those that the last full sync returned. */
export function newlyAbsent({ absent }: Absence): readonly AbsentRecord[] {
  return absent.filter(({ accepted, fullSyncs }) => !accepted && fullSyncs < fullSyncsToRemove)
}

const rids = (records: readonly AbsentRecord[]) => records.map(({ rid }) => rid)

/** Proves the identity if the full sync read no known GUID. */
async function proveBeforeRemovals(run: Run): Promise<void> {
  const { context, definition, guard, tenantId } = run
  if (run.proven) return
  if ((await context.store.syncState(tenantId, definition.name)).live > 0) await guard.prove(run)
  run.proven = true
}

/** The earlier and the later of the server's time and the local clock, as either may be wrong. */
export function timesOf({ context, reachedTime }: Run): Pick<BudgetQuery, 'latest' | 'now'> {
  const local = context.clock.now()
  const server = reachedTime ?? local
  return { now: Math.min(local, server), latest: Math.max(local, server) }
}

async function budgetOf(run: Run, { absent }: Absence): Promise<GuardBudget> {
  const { context, tenantId, definition } = run
  if (absent.length === 0) return noBudget
  const times = timesOf(run)
  const holds = await context.store.holds(tenantId)
  const hold = holds.find(({ resource, reason }) => resource === definition.name && reason === 'shrink_held')
  const of = { tenantId, resource: definition.name }
  const budget = await context.store.removalBudget({ ...of, ...times, heldSince: hold?.raisedAt ?? null })
  if (definition.kind !== 'pagedList') return { ...budget, replacing: 0 }
  return { ...budget, replacing: await replacing(run, Math.min(times.now, hold?.raisedAt ?? times.now), absent) }
}

/** Number of listed clients created in the 24 hours before `until` (epoch milliseconds), which replace removed ones. */
async function replacing({ context, tenantId, definition }: Run, until: number, absent: readonly AbsentRecord[]) {
  const gone = new Set(absent.map(({ key }) => key))
  let count = 0
  for await (const batch of context.store.records(tenantId).select(definition.name))
    for (const { key, times } of batch) {
      const createdAt = times['createdAtMs'] ?? 0
      if (createdAt > until - dayMs && createdAt <= until + greatestSkewMs && !gone.has(key)) count++
    }
  return count
}

interface Held {
  readonly held: readonly AbsentRecord[]
  readonly why: string
  readonly live: number
  readonly budget: GuardBudget
}

function raise(run: Run, { held, why, live, budget }: Held): Promise<SyncError> {
  const { name: resource } = run.definition
  const count = held.length
  const message = `${count} of ${live} ${resource} are missing from the full sync${countedToo(budget)}; ${why}`
  const hold = { resource, reason: 'shrink_held', count, message, cause: {}, rids: rids(held) } as const
  return raiseHold(run, hold, 'If they were really removed, see "tenantwatch accept"')
}

/** States what the shrink guard counts besides the absent records. */
function countedToo({ removed, replacing }: GuardBudget): string {
  const too = removed === 0 ? '' : `, and ${removed} ${removed === 1 ? 'was' : 'were'} removed in the 24 hours before`
  return replacing === 0 ? too : `${too}, less ${replacing} that new ones replace`
}
