import { hostname } from 'node:os'
import { Mutex } from 'async-mutex'
import type { Clock, Random } from '../model/clock.ts'
import { EngineRunning, SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { memoizeWeakly } from '../model/memoize.ts'
import type { OwnerView } from '../model/posture.ts'
import { secondMs } from '../model/time.ts'
import type { Db, Sql } from './db/db.ts'
import {
  type Lease,
  type LeasedTenant,
  leaveReplicas,
  ownersText,
  releaseLeases,
  removedText,
  renewLeases,
} from './db/leases.ts'
import type { Mirror } from './port.ts'
import type { ReplicaFacts, TenantStores, TenantWorker } from './tenant-stores.ts'

/** Interval between renewals. */
const renewEveryMs = 2 * secondMs

/** Time after sending its last confirmed renewal for which a process may write, by its monotonic clock. */
const writesForMs = 6 * secondMs

/** Interval at which this process checks whether it may still write. */
const followEveryMs = secondMs

/** Most tenants given back at a time, because their next owner opens them one after the other. */
const mostGivenBack = 32

/** Tries of a command that works alone: the leases of a killed process lapse after ten seconds. */
const mostTries = 13

export interface LeasedStoresOptions<Store> {
  /** New at each start of the process. */
  readonly id: string
  /** For the renewal. Its transactions must take a few seconds at most, because without a renewal nothing is written. */
  readonly lease: Db
  /** For reads. */
  readonly show: Db
  /** Throws unless the tables are those of this version; then nothing is renewed or taken. */
  readonly assertTables: (sql: Sql) => Promise<void>
  /** Opens a store that writes nothing once another process has taken the lease. */
  readonly storeOf: (lease: Lease) => Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** True for a command that only works without replicas beside it. */
  readonly alone?: boolean
}

export interface OwnerRow extends Omit<OwnerView, 'isAlive'> {
  readonly tenant: string
  readonly alive: number
}

/** The stores of the tenants whose leases this process holds (docs/internals/reliability.md#replicas). */
export class LeasedStores<Store = Mirror> implements TenantStores<Store> {
  readonly #options: LeasedStoresOptions<Store>
  readonly #storeOf: (lease: Lease) => Store
  /** Renewals and releases change the same rows. */
  readonly #turns = new Mutex()
  #tenants: readonly LeasedTenant[] = []
  /** By name of the tenant, as of the last renewal. An unchanged lease stays the same object. */
  #held: ReadonlyMap<string | null, Lease> = new Map()
  /** Leases that are given back once the work under them has ended. */
  #leaving: readonly Lease[] = []
  /** `owned` as of when the worker last followed. */
  #followed = ''
  #sentAt = Number.NEGATIVE_INFINITY
  #found = { heartbeatAt: 0, takeovers: 0, unowned: 0, surplus: 0 }
  readonly #ending = new AbortController()
  readonly #loops: Promise<void>[] = []

  constructor(options: LeasedStoresOptions<Store>) {
    this.#options = options
    this.#storeOf = memoizeWeakly(options.storeOf)
  }

  of(tenant: string): Store | null {
    return this.#storeUnder(tenant)
  }

  shared(): Store | null {
    return this.#storeUnder(null)
  }

  async configure(tenants: readonly LeasedTenant[]): Promise<void> {
    const { alone = false, clock } = this.#options
    this.#tenants = tenants
    for (let tries = 1; ; tries++) {
      const hasAll = await this.#renew()
      if (hasAll || !alone) break
      await this.#leave()
      if (tries === mostTries)
        throw new EngineRunning(
          'Another tenantwatch engine (run, sync or migrate-store) is working on the database of store.url; stop it first',
        )
      await clock.sleep(secondMs)
    }
    // From now on, because opening the tenants may take longer than a renewal is valid.
    if (this.#loops.length === 0) this.#loops.push(this.#every(renewEveryMs, () => this.#renew()))
  }

  async removed(configured: readonly string[]): Promise<readonly string[]> {
    const { show, alone = false } = this.#options
    return await show.read((sql) => sql<string>(removedText, [{ names: configured, alone }], 'values'))
  }

  facts(): ReplicaFacts {
    const { heartbeatAt, takeovers, unowned } = this.#found
    const isLost = ({ name }: LeasedTenant) => this.#held.has(name) && this.of(name) === null
    return {
      tenants: this.#tenants.map(({ name }) => name),
      heartbeatAt,
      isConfirmed: this.#isConfirmed,
      takeovers,
      unowned: Math.min(unowned + this.#tenants.filter(isLost).length, this.#tenants.length),
    }
  }

  /** Times and ages by the clock of the db, so that all replicas agree. */
  async owners(): Promise<ReadonlyMap<string, OwnerView>> {
    return ownersOf(await this.#options.show.read((sql) => sql<OwnerRow>(ownersText)))
  }

  begin(worker: TenantWorker): void {
    this.#followed = this.#ownedText()
    this.#loops.push(this.#every(followEveryMs, () => this.#follow(worker)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#loops)
    // Otherwise its leases lapse ten seconds later.
    await this.#leave().catch(() => {})
  }

  /** True while the last renewal is recent: until then no other process can have taken a lease. */
  get #isConfirmed(): boolean {
    return this.#options.clock.monotonic() - this.#sentAt < writesForMs
  }

  #storeUnder(tenant: string | null): Store | null {
    const lease = this.#held.get(tenant)
    if (lease === undefined || !this.#isConfirmed || this.#leaving.includes(lease)) return null
    return this.#storeOf(lease)
  }

  #ownedText(): string {
    const owned = this.#isConfirmed ? [...this.#held.values()].filter((lease) => !this.#leaving.includes(lease)) : []
    return JSON.stringify(owned.map(({ tenant, epoch, serverStart }) => [tenant, epoch, serverStart]))
  }

  /** True if this process then has all leases. */
  #renew(): Promise<boolean> {
    return this.#turns.runExclusive(async () => {
      const { lease, clock, id, assertTables, alone = false } = this.#options
      const [sentAt, heartbeatAt] = [clock.monotonic(), clock.now()]
      const claim = { id, alone, tenants: this.#tenants, at: heartbeatAt }
      const { leases, hasAll, takenOver, unowned, surplus } = await lease.write(async (sql) => {
        await assertTables(sql)
        return await renewLeases(sql, claim)
      })
      this.#sentAt = sentAt
      const before = this.#held
      this.#held = new Map(leases.map((one) => [one.tenant, unchanged(before.get(one.tenant), one)]))
      this.#found = { heartbeatAt, takeovers: this.#found.takeovers + takenOver, unowned, surplus }
      return hasAll
    })
  }

  /** Lets the worker follow changes, and gives back leases once their work has ended. */
  async #follow(worker: TenantWorker): Promise<void> {
    const leaving = this.#surplus(worker)
    this.#leaving = leaving
    try {
      const owned = this.#ownedText()
      if (owned !== this.#followed) {
        await worker.follow()
        this.#followed = owned
      }
      if (leaving.length > 0) await this.#release(leaving)
    } finally {
      this.#leaving = []
    }
  }

  /** Leases of tenants that are not configured any more, of idle ones beyond the share, and without a tenant the shared one. */
  #surplus(worker: TenantWorker): readonly Lease[] {
    if (!this.#isConfirmed) return []
    const names = new Set<string | null>(this.#tenants.map(({ name }) => name))
    if (this.#tenants.some(({ name }) => this.#held.has(name))) names.add(null)
    const removed = [...this.#held.values()].filter(({ tenant }) => !names.has(tenant))
    // The last ones first, because after a start their first runs begin last.
    const idle = this.#tenants.toReversed().flatMap(({ name }) => {
      const lease = this.#held.get(name)
      return lease !== undefined && worker.isIdle(name) ? [lease] : []
    })
    return [...removed, ...idle.slice(0, Math.min(this.#found.surplus, mostGivenBack))]
  }

  #release(leases: readonly Lease[]): Promise<void> {
    return this.#turns.runExclusive(async () => {
      const { lease, id } = this.#options
      const released = new Set(leases.map(({ tenant }) => tenant))
      this.#held = new Map([...this.#held].filter(([tenant]) => !released.has(tenant)))
      // A renewal may have counted them.
      this.#found = { ...this.#found, surplus: 0 }
      await lease.write((sql) => releaseLeases(sql, id, leases))
    })
  }

  #leave(): Promise<void> {
    return this.#turns.runExclusive(async () => {
      const { lease, id } = this.#options
      this.#held = new Map()
      await lease.write((sql) => leaveReplicas(sql, id))
    })
  }

  /** Repeats the work. Logs each distinct problem once until it succeeds, such as a dead server, then a standby. */
  async #every(ms: number, work: () => Promise<unknown>): Promise<void> {
    const { clock, random, log } = this.#options
    const logged = new Set<string>()
    for (;;) {
      await clock.sleep(ms * (0.9 + 0.2 * random()), this.#ending.signal).catch(() => {})
      if (this.#ending.signal.aborted) return
      try {
        await work()
        logged.clear()
      } catch (error) {
        const detail = String(error)
        const hint = error instanceof SyncError ? error.hint : undefined
        if (!logged.has(detail)) log.warn({ detail, hint }, 'The database of store.url cannot be used; trying again')
        logged.add(detail)
      }
    }
  }
}

function unchanged(known: Lease | undefined, lease: Lease): Lease {
  const isSame =
    known?.tenantId === lease.tenantId && known.epoch === lease.epoch && known.serverStart === lease.serverStart
  return isSame ? known : lease
}

/** @param rows result of `ownersText`. */
export function ownersOf(rows: readonly OwnerRow[]): ReadonlyMap<string, OwnerView> {
  return new Map(rows.map(({ tenant, alive, ...owner }) => [tenant, { ...owner, isAlive: alive === 1 }]))
}

/** New at each start: the host name and 104 random bits. */
export function newEngineId(random: Random, host = hostname()): string {
  return `${host}/${[1, 2].map(() => Math.floor(random() * 2 ** 52).toString(36)).join('-')}`
}
