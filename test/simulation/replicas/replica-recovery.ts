import { minuteMs } from '../../../src/model/durations.ts'
import { wrongLive } from '../../support/wrong-counts.ts'
import { differences, sameSet } from '../recovery.ts'
import { mustFail } from '../truth.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { DatabaseServer } from './database-server.ts'
import type { Fleet } from './fleet.ts'
import { lostHistory } from './replica-history.ts'
import type { SimulatedTenant } from './simulated-tenant.ts'
import type { TenantOracle } from './tenant-oracle.ts'
import type { ReplicaViolationClass } from './violations.ts'

export interface ReplicaRecoveryParts {
  readonly time: VirtualTime
  readonly server: DatabaseServer
  readonly fleet: Fleet
  readonly tenants: readonly SimulatedTenant[]
  readonly oracles: readonly TenantOracle[]
  readonly report: (kind: ReplicaViolationClass, what: string) => void
  readonly lookAtAll: () => Promise<void>
}

type Problem = readonly [kind: ReplicaViolationClass, what: string]

/** A full sync a minute: the rest of an interrupted one, two for what must be absent twice, and the confirmation. */
const mostMs = 8 * minuteMs
const lookEveryMs = minuteMs / 2

/**
 * After the faults have stopped, by the schedule alone: every tenant has one owner, the mirror is the tenant, row by row,
 * every status is right and every change is in the history. The operator accepts what is held.
 */
export async function checkRecovery(parts: ReplicaRecoveryParts): Promise<void> {
  const { time, report, server } = parts
  let problems: readonly Problem[] = []
  for (const until = time.now + mostMs; time.now < until; ) {
    await time.runUntil(time.now + lookEveryMs)
    await acceptHolds(parts)
    await parts.lookAtAll()
    problems = (await Promise.all(parts.tenants.map((tenant, i) => problemsOf(parts, tenant, i)))).flat()
    if (problems.length === 0) break
  }
  for (const [kind, what] of problems) report(kind, what)
  for (const row of await server.query(wrongLive)) report('not_recovered', `Wrong counts: ${JSON.stringify(row)}`)
  for (const what of await lostHistory(server)) report('lost_history', what)
}

async function acceptHolds({ server, time }: ReplicaRecoveryParts): Promise<void> {
  for (const { id } of await server.mirror.holds())
    await server.mirror.decide({ holdId: id, reason: 'Checked with the owner', at: time.now })
  // An operator decides beside the owner.
  await server.query('delete from audited_writes')
}

async function problemsOf(
  parts: ReplicaRecoveryParts,
  tenant: SimulatedTenant,
  i: number,
): Promise<readonly Problem[]> {
  const { server, fleet, oracles } = parts
  const { name, world } = tenant
  const row = (await server.mirror.tenants()).find((one) => one.name === name)
  const owner = fleet.ownerOf(name)
  if (row === undefined || owner === undefined) return [['unowned', `${name} has no owner at the end`]]
  const lost = (await differences(world, server.mirror, row.id)).map(
    (what): Problem => ['lost_row', `${name}: ${what}`],
  )
  const wrong: Problem[] = []
  const exactly = await oracles[i]?.exactly(world.time.now)
  const posture = oracles[i]?.shown
  for (const { check, enabled, status, reason } of posture?.checks ?? []) {
    if (exactly === undefined || !enabled || (status === 'unknown' && reason === 'ambiguous')) continue
    if (status === 'unknown') {
      wrong.push(['not_recovered', `${name}: ${check} is still unknown (${reason})`])
      continue
    }
    const failing = mustFail(check, exactly)
    const found = await server.query(
      'select entity_id as id from findings where tenant_id = ? and "check" = ? and resolved_at is null',
      row.id,
      check,
    )
    const open = found.map(({ id }) => String(id))
    if (failing.length > 0 !== (status === 'fail') || !sameSet(open, failing))
      wrong.push(['not_recovered', `${name}: ${check} is ${status} with [${open}] where [${failing}] fail`])
  }
  if (posture === undefined) wrong.push(['not_recovered', `${name}: its owner shows nothing`])
  return [...lost, ...wrong]
}
