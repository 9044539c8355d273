import { checks } from '../../src/checks/index.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { hourMs, minuteMs, secondMs } from '../../src/model/time.ts'
import type { WallClock } from './clocks.ts'
import { mayLast } from './lasting-holds.ts'
import type { Ledger } from './ledger.ts'
import { lostHistory } from './lost-history.ts'
import type { Machine } from './machine.ts'
import type { Oracle } from './oracle.ts'
import type { Service } from './service.ts'
import { mustFail, type Sight } from './truth.ts'
import type { VirtualTime } from './virtual-time.ts'
import { comparable, liveForms, type World, worldResources } from './world.ts'

export interface RecoveryParts {
  readonly time: VirtualTime
  readonly world: World
  readonly machine: Machine
  readonly oracle: Oracle
  readonly ledger: Ledger
  readonly wall: WallClock
  readonly service: Service
  readonly step: number
}

/** The longest wait that the tenant states. */
const longestWaitMs = 90 * minuteMs

/** Two of the shortest intervals, and the jitter (docs/internals/reliability.md#what-is-promised). */
const cyclesMs = 21 * minuteMs

const paged = ['users', 'documents', 'api-clients'] as const

/** "Accepting `shrink_held` covers exactly the held ids …; others meet the guard again": the rest may be held once more. */
const mostAccepts = 2

/**
 * After the faults have stopped and the tenant is quiet: the waits that are on pass, two full syncs run (three runs:
 * the first may be the rest of an interrupted full sync; of documents five, which no request can confirm), what is held
 * is accepted by the operator, and the same again. Then the mirror must be the tenant, row by row, and every status
 * right (docs/internals/reliability.md#what-is-promised).
 */
export async function checkRecovery(parts: RecoveryParts): Promise<void> {
  const { time, machine, oracle, step, world, ledger } = parts
  // Stated waits end; a dead credential and a tenant hold are tried again once a cycle, by the schedule alone.
  await time.runUntil(Math.max(time.now, waitEnd(parts)) + cyclesMs)
  // An answer that was under way as the faults stopped may state one more.
  if (ledger.waits.end > time.now) await time.runUntil(ledger.waits.end + cyclesMs)
  // A held tenant is asked once a cycle, and a server clock that was set back is believed after three runs.
  if ((await machine.mirror.holds()).some(({ resource }) => resource === 'all'))
    await time.runUntil(time.now + 2 * cyclesMs)
  let results = await rounds(parts)
  for (let accepts = 0; accepts < mostAccepts && (await acceptHolds(parts)); accepts++) results = await rounds(parts)
  for (const { resource, reason, message } of results.filter(({ outcome }) => outcome !== 'success')) {
    oracle.report('not_recovered', `${resource} still fails with ${reason}: ${message}`)
  }
  for (const what of await differences(world, machine)) oracle.report('lost_row', what)
  for (const what of await lostHistory(machine)) oracle.report('lost_history', what)
  await drive(parts, machine.evaluate())
  if (endedSince(parts)) await drive(parts, machine.evaluate())
  const { mismatches } = await machine.mirror.verifyChain(machine.tenantId)
  for (const mismatch of mismatches) oracle.report('chain_differs', JSON.stringify(mismatch))
  const posture = await oracle.observe(step, false)
  for (const { check, status, reason, evaluatedAt } of posture.checks) {
    if (status === 'unknown' && reason === 'ambiguous') continue
    if (status === 'unknown') oracle.report('not_recovered', `${check} is still unknown (${reason})`)
    // How long a status has lasted is known to the mirror from when it saw it begin only.
    if (check === 'document-processing-finished' || check === 'document-status-known') continue
    const failing = mustFail(check, exactSight(parts, evaluatedAt ?? time.now))
    if (status !== 'unknown' && failing.length > 0 !== (status === 'fail')) {
      oracle.report('not_recovered', `${check} is ${status} although ${failing.length} entities fail`)
    }
    const open = await openEntities(machine, check)
    if (status !== 'unknown' && !sameSet(open, failing)) {
      oracle.report('not_recovered', `${check} has findings for [${open}] where [${failing}] fail`)
    }
  }
}

/**
 * The operator accepts what is held; a tenant hold must have lifted by itself, but for those that wait for a person
 * (docs/internals/sync.md#7-hold-and-accept). False when nothing was held.
 */
async function acceptHolds(parts: RecoveryParts): Promise<boolean> {
  const { machine, oracle, time } = parts
  const holds = await machine.mirror.holds()
  if (holds.length > 0) oracle.accepts = true
  for (const hold of holds) {
    if (hold.resource === 'all' && !(await mayLast(parts, hold))) {
      const { reason, message, cause } = hold
      oracle.report('not_recovered', `The hold ${reason} did not lift by itself: ${message} ${JSON.stringify(cause)}`)
    } else await machine.mirror.decide({ holdId: hold.id, reason: 'Checked with the owner', at: time.now })
  }
  return holds.length > 0
}

/** After a restart a stored wait lasts no longer than it was from its start: where the clock was set back it may begin again. */
function waitEnd({ ledger, wall, time }: RecoveryParts): number {
  const wasSetBack = wall.setBackSince(time.now - 3 * hourMs) > 0
  return Math.max(ledger.waits.end, wasSetBack ? time.now + longestWaitMs : 0)
}

/** Two full syncs of what has several pages, after what is left of an interrupted one; the last results of everything. */
async function rounds(parts: RecoveryParts): Promise<readonly RunResult[]> {
  const { machine, time } = parts
  const results = new Map<ResourceName, RunResult>()
  for (const resources of [worldResources, paged, paged, ['documents'], ['documents']] as const) {
    for (const resource of resources) {
      await time.runUntil(time.now + 10 * secondMs)
      results.set(resource, await drive(parts, machine.run(resource, 'full')))
    }
  }
  return [...results.values()]
}

/** Lets time pass until a piece of work is done. */
async function drive<T>({ time }: RecoveryParts, work: Promise<T>): Promise<T> {
  let done = false
  const ended = work.finally(() => {
    done = true
  })
  for (let i = 0; !done && i < 100_000; i++) await time.runUntil(time.now + 100)
  return ended
}

/** One instant in sight: now. */
function exactSight({ world, time, oracle }: RecoveryParts, evaluatedAt: number): Sight {
  const now = () => time.now
  return {
    ...oracle.sight(null),
    world,
    from: now,
    presenceFrom: now,
    to: time.now,
    evaluatedAt: [evaluatedAt],
    roleIdFrom: now,
  }
}

/** A threshold may pass in the moment between the evaluation and the look at its result. */
function endedSince({ machine, time }: RecoveryParts): boolean {
  return (
    machine.query(`select 1 from check_states where changes_at <= ? and status <> 'unknown' limit 1`, time.now).length >
    0
  )
}

async function openEntities(machine: Machine, check: string): Promise<readonly string[]> {
  if (checks.every(({ id }) => id !== check)) return []
  const rows = machine.query(
    'select entity_id as id from findings where "check" = ? and resolved_at is null order by entity_id',
    check,
  )
  return rows.map((row) => String(row['id']))
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id))
}

/** Where the mirror is not the tenant, row by row. */
async function differences(world: World, { mirror, tenantId }: Machine): Promise<readonly string[]> {
  const found: string[] = []
  for (const resource of worldResources) {
    const mirrored = new Map<string, string>()
    for await (const batch of mirror.records(tenantId).select(resource)) {
      for (const { key, fields, times } of batch) mirrored.set(key, comparable(fields, times))
    }
    const truth = new Map(liveForms(world, resource).map(([key, fields]) => [key, comparable(fields)]))
    for (const [key, text] of truth) {
      const own = mirrored.get(key)
      if (own === undefined) found.push(`${resource} ${key} is missing`)
      else if (own !== text) found.push(`${resource} ${key} is ${own}, not ${text}`)
    }
    for (const key of mirrored.keys()) if (!truth.has(key)) found.push(`${resource} ${key} is gone`)
  }
  return found
}
