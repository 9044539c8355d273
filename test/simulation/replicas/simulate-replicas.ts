import { createHash } from 'node:crypto'
import type { Settings } from '../../../src/config/settings.ts'
import { minuteMs, secondMs } from '../../../src/model/durations.ts'
import { bugLog } from '../machine-parts.ts'
import { createPrng } from '../prng.ts'
import { quiet, VirtualTime } from '../virtual-time.ts'
import { DatabaseNetwork } from './connections.ts'
import { DatabaseServer } from './database-server.ts'
import { Fleet } from './fleet.ts'
import { OwnershipOracle } from './ownership.ts'
import { checkRecovery } from './replica-recovery.ts'
import { SimulatedTenant } from './simulated-tenant.ts'
import { TenantOracle } from './tenant-oracle.ts'
import { Trouble, type TroubleName } from './trouble.ts'
import type { ReplicaViolation, ReplicaViolationClass } from './violations.ts'
import { everySeconds } from './virtual-scheduler.ts'

export interface ReplicaLifeOptions {
  readonly seed: number
  /** Number of half minutes before the recovery. */
  readonly steps: number
  readonly only: TroubleName | null
  /** Absent: as the seed has it. */
  readonly tenants?: number
  /** Of a server that databases may be made on. */
  readonly url: string
  readonly template: string
}

export interface ReplicaReport {
  readonly seed: number
  readonly violations: readonly ReplicaViolation[]
  readonly troubles: ReadonlyMap<string, number>
  readonly faults: ReadonlyMap<string, number>
  readonly figures: {
    readonly tenants: number
    readonly requests: number
    readonly changes: number
    readonly writes: number
    readonly passes: number
  }
  readonly longestGapMs: number
  /** Two lives of one seed have the same. */
  readonly trace: string
}

const start = Date.parse('2026-03-01T12:00:00Z')
const stepMs = 30 * secondMs

/** Runs one simulated life of several replicas on one database by its seed. */
export async function simulateReplicas(options: ReplicaLifeOptions): Promise<ReplicaReport> {
  const { seed, steps, only, url, template } = options
  const prng = createPrng(seed)
  const violations: ReplicaViolation[] = []
  const trace = createHash('sha256')
  const report = (kind: ReplicaViolationClass, what: string) => {
    violations.push({ kind, at: time.now - start, what })
  }
  const time: VirtualTime = new VirtualTime(start, async () => {
    do await quiet()
    while (await server.runNext())
    ownership.look()
  })
  const server: DatabaseServer = await DatabaseServer.open(url, template, `life_${process.pid}_${seed}`, time)
  const chosen = prng.pick([3, 3, 4, 4, 5, 6])
  const tenants = Array.from(
    { length: options.tenants ?? chosen },
    (_, i) => new SimulatedTenant(`t${i + 1}`, time, prng),
  )
  const oracles = tenants.map((tenant) => new TenantOracle({ tenant, server, report }))
  const network = new DatabaseNetwork({
    ...{ time, prng, server },
    async committed(transaction) {
      trace.update(JSON.stringify([time.now, transaction.host.name, transaction.fence]))
      await ownership.committed(transaction)
    },
  })
  const bug = (message: string) => report('own_fault', message)
  const log = bugLog(bug, () => {})
  const settings = settingsOf(tenants)
  const fleet: Fleet = new Fleet({ time, prng, network, settings, tenants, log, bug })
  const names = tenants.map(({ name }) => name)
  const ownership: OwnershipOracle = new OwnershipOracle({
    ...{ time, tenants: names, server: () => server, replicas: () => fleet.processes, report },
  })
  const trouble = new Trouble({ time, prng, fleet, network, server, only })
  const keepLimits = () => {
    network.keepLimits()
    time.at(time.now + secondMs / 4, keepLimits)
  }
  keepLimits()
  const replicas = prng.between(2, 3)
  for (let i = 0; i < replicas; i++) time.at(start + prng.pick([0, 10, 3000]), () => fleet.start())
  try {
    await time.runUntil(start + 20 * secondMs)
    for (let step = 0; step < steps; step++) {
      trouble.forecast(stepMs)
      for (const { weather, life } of tenants) {
        if (prng.chance(0.2)) weather.forecast(stepMs, false)
        else if (prng.chance(0.4)) weather.clear()
        life.step(stepMs)
      }
      await time.runUntil(time.now + stepMs)
      await lookAtAll()
    }
    trouble.end()
    for (const { life, weather } of tenants) {
      life.stop()
      weather.clear()
    }
    await checkRecovery({ time, server, fleet, oracles, tenants, report, lookAtAll })
    if (ownership.writes === 0) report('own_fault', 'no commit of this life was looked at')
  } finally {
    time.end()
    await server.close()
  }
  const sum = (of: (tenant: SimulatedTenant) => number) => tenants.reduce((total, tenant) => total + of(tenant), 0)
  return {
    seed,
    violations,
    troubles: trouble.counts,
    faults: faultsOf(tenants),
    figures: {
      tenants: tenants.length,
      requests: sum(({ ledger }) => ledger.requests),
      changes: sum(({ life }) => life.changes),
      writes: ownership.writes,
      passes: oracles.reduce((total, { passes }) => total + passes, 0),
    },
    longestGapMs: ownership.longestGapMs,
    trace: trace.digest('hex').slice(0, 16),
  }

  /** What the present owners show. */
  async function lookAtAll(): Promise<void> {
    for (const [i, { name }] of tenants.entries()) {
      const owner = fleet.ownerOf(name)
      if (owner === undefined || owner.host.link !== 'up') continue
      let posture: Awaited<ReturnType<typeof owner.session.views.posture>> | null = null
      let isDone = false
      owner.session.views.posture(name).then(
        (found) => {
          posture = found
          isDone = true
        },
        () => {
          isDone = true
        },
      )
      const until = time.now + 5 * secondMs
      while (!isDone && !owner.host.dead && time.now < until) await time.runUntil(time.now + 20)
      const [shown] = posture ?? []
      if (shown !== undefined) await oracles[i]?.look(shown)
    }
  }
}

function settingsOf(tenants: readonly SimulatedTenant[]): Settings {
  return {
    tenants: tenants.map(({ settings }) => settings),
    evaluate: everySeconds(30),
    timezone: 'UTC',
    historyRetentionDays: 400,
    store: { path: null, url: { env: 'DATABASE' } },
    server: { host: '127.0.0.1', port: 0, webConfig: null, exposeDetails: false, allowedHosts: [], externalUrl: null },
    ownChecks: { folder: null, timeoutMs: minuteMs, maxRows: 1000, checks: [], incomplete: false },
    waivers: [],
    owners: [],
    notifications: [],
    logLevel: 'info',
  }
}

function faultsOf(tenants: readonly SimulatedTenant[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { weather } of tenants) {
    for (const [name, count] of weather.counts) sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return sums
}
