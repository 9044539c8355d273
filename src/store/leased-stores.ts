import type { Clock, Random } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import type { OwnerView } from '../model/posture.ts'
import type { Db } from './db/db.ts'
import { ownersText, removedText } from './db/lease-statements.ts'
import { type Lease, type Leases, renewEveryMs } from './db/leases.ts'
import type { Mirror } from './port.ts'
import type { ReplicaFacts, TenantName, TenantStores, TenantWorker } from './tenant-stores.ts'

/** Interval at which this process checks whether it may still write. */
const followEveryMs = secondMs

/** Most tenants given back at a time, because their next owner opens them one after the other. */
const mostGivenBack = 32

export interface LeasedStoresOptions {
  readonly leases: Leases
  /** For reads. */
  readonly db: Db
  /** Opens a store that writes nothing once another process has taken the lease. */
  readonly storeOf: (lease: Lease) => Mirror
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly random: Random
  readonly log: Log
}

export interface OwnerRow extends Omit<OwnerView, 'isAlive'> {
  readonly tenant: string
  readonly alive: number
}

/** The stores of the tenants whose leases this replica holds. */
export class LeasedStores implements TenantStores {
  readonly #options: LeasedStoresOptions
  readonly #leases: Leases
  readonly #stores = new Map<Lease, Mirror>()
  /** Tenants that are given back once their work has ended. */
  #leaving: readonly Lease[] = []
  /** `owned` as of when the worker last followed. */
  #followed = ''
  #found = { heartbeatAt: 0, takeovers: 0, unowned: 0, surplus: 0 }
  readonly #ending = new AbortController()
  readonly #loops: Promise<void>[] = []

  constructor(options: LeasedStoresOptions) {
    this.#options = options
    this.#leases = options.leases
  }

  of(tenant: string): Mirror | null {
    const lease = this.#leases.held.get(tenant)
    return lease === undefined || this.#leaving.includes(lease) ? null : this.#storeOf(lease)
  }

  shared(): Mirror | null {
    const lease = this.#leases.held.get(null)
    return lease === undefined ? null : this.#storeOf(lease)
  }

  async configure(tenants: readonly TenantName[]): Promise<() => void> {
    const before = this.#leases.tenants
    const restore = () => {
      this.#leases.tenants = before
    }
    this.#leases.tenants = tenants
    try {
      const isFirst = this.#loops.length === 0
      await this.#renew()
      // The first renewal takes nothing. Opening the tenants may take longer than a renewal is valid.
      if (isFirst) {
        await this.#renew()
        this.#loops.push(this.#every(renewEveryMs, () => this.#renew()))
      }
    } catch (error) {
      restore()
      throw error
    }
    return restore
  }

  async removed(configured: readonly string[]): Promise<readonly string[]> {
    const { db } = this.#options
    const names = db.dialect.listOf(configured)
    return await db.read((sql) => sql<string>(removedText, [{ names }], 'values'))
  }

  facts(): ReplicaFacts {
    const { isConfirmed, tenants, lastHeld } = this.#leases
    const { heartbeatAt, takeovers, unowned } = this.#found
    const isLost = ({ name }: TenantName) => lastHeld.has(name) && this.of(name) === null
    return {
      heartbeatAt,
      isConfirmed,
      takeovers,
      unowned: Math.min(unowned + tenants.filter(isLost).length, tenants.length),
      owned: this.#ownedText(),
    }
  }

  /** Times and ages by the clock of the database, so that all replicas agree. */
  async owners(): Promise<ReadonlyMap<string, OwnerView>> {
    return ownersOf(await this.#options.db.read((sql) => sql<OwnerRow>(ownersText)))
  }

  begin(worker: TenantWorker): void {
    this.#followed = this.#ownedText()
    this.#loops.push(this.#every(followEveryMs, () => this.#follow(worker)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#loops)
    await this.#close([...this.#leases.held.values()])
    // Otherwise its leases lapse ten seconds later.
    await this.#leases.leave().catch(() => {})
  }

  #storeOf(lease: Lease): Mirror {
    const store = this.#stores.get(lease) ?? this.#options.storeOf(lease)
    this.#stores.set(lease, store)
    return store
  }

  /** Leases under which this process works, from the first configured tenant to the last. */
  #owned(): readonly Lease[] {
    const { held } = this.#leases
    return [...held.values()].filter((lease) => !this.#leaving.includes(lease))
  }

  #ownedText(): string {
    return JSON.stringify(this.#owned().map(({ tenant, epoch, serverStart }) => [tenant, epoch, serverStart]))
  }

  async #renew(): Promise<void> {
    const heartbeatAt = this.#options.clock.now()
    const { takenOver, unowned, surplus } = await this.#leases.renew()
    this.#found = { heartbeatAt, takeovers: this.#found.takeovers + takenOver, unowned, surplus }
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
        const held = new Set(this.#leases.held.values())
        for (const lease of this.#stores.keys()) if (!held.has(lease)) this.#stores.delete(lease)
      }
      if (leaving.length === 0) return
      await this.#close(leaving)
      await this.#leases.release(leaving)
      // A renewal may have counted them.
      this.#found = { ...this.#found, surplus: 0 }
    } finally {
      this.#leaving = []
    }
  }

  /** Leases of tenants that are not configured any more, and of idle ones beyond the share of this replica. */
  #surplus(worker: TenantWorker): readonly Lease[] {
    const { held, tenants } = this.#leases
    const names = new Set<string | null>(tenants.map(({ name }) => name))
    const removed = [...held.values()].filter(({ tenant }) => tenant !== null && !names.has(tenant))
    const idle: Lease[] = []
    // The last ones first, because after a start their first runs begin last.
    for (const { name } of tenants.toReversed()) {
      if (idle.length >= Math.min(this.#found.surplus, mostGivenBack)) break
      const lease = held.get(name)
      if (lease !== undefined && worker.isIdle(name)) idle.push(lease)
    }
    return [...removed, ...idle]
  }

  /** Closes the stores that are open under these leases. */
  async #close(leases: readonly Lease[]): Promise<void> {
    const stores = leases.map((lease) => this.#stores.get(lease))
    for (const lease of leases) this.#stores.delete(lease)
    await Promise.allSettled(stores.map((store) => store?.[Symbol.asyncDispose]()))
  }

  /** Repeats the work. Logs each distinct problem once until it succeeds, such as a dead server, then a standby. */
  async #every(ms: number, work: () => Promise<void>): Promise<void> {
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

/** @param rows result of `ownersText`. */
export function ownersOf(rows: readonly OwnerRow[]): ReadonlyMap<string, OwnerView> {
  return new Map(rows.map(({ tenant, alive, ...owner }) => [tenant, { ...owner, isAlive: alive === 1 }]))
}
