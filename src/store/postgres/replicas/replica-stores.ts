import { Mutex } from 'async-mutex'
import type { Clock, Random } from '../../../model/clock.ts'
import { hourMs, secondMs } from '../../../model/durations.ts'
import type { OwnerView } from '../../../model/posture.ts'
import type { Mirror } from '../../port.ts'
import type { ReplicaFacts, TenantName, TenantStores, TenantWorker } from '../../tenant-stores.ts'
import { insistOnNoCopy } from '../copy-mark.ts'
import type { PostgresDatabase } from '../database.ts'
import { readToShow } from '../lanes.ts'
import { settleSequences } from '../sequences.ts'
import { differenceLog } from './configurations.ts'
import { Heartbeat, type HeartbeatOptions } from './heartbeat.ts'
import { readOwners } from './owners.ts'
import { repeat } from './repeat.ts'
import { noTenant, Replica } from './replica.ts'

const beatEveryMs = 2 * secondMs

/** Interval at which this process checks whether it may still write. */
const lookEveryMs = secondMs

/** After this wait for an idle tenant, a surplus tenant is given back during a run, which loses its current page. */
const waitsForIdleMs = 10 * secondMs

/** Most tenants given back at a time, because their next owner opens them one after the other. */
const mostGivenBack = 32

export interface ReplicaOptions extends HeartbeatOptions {
  readonly storeOver: (database: PostgresDatabase) => Mirror
  readonly clock: Clock
  readonly random: Random
  /** New at each start of the process. */
  readonly id: string
}

interface Store {
  readonly epoch: number
  readonly store: Mirror
}

interface Identified {
  readonly configured: readonly TenantName[]
  /** Digest of the whole configuration. */
  readonly digest: string
  /** Tenant ids by name. */
  readonly ids: ReadonlyMap<string, number>
  /** `losses` of the replica before the ids were read. */
  readonly losses: number
}

/** The stores of the tenants that a replica owns, while its heartbeats are confirmed. */
export class ReplicaStores implements TenantStores {
  readonly readToShow = readToShow
  readonly #options: ReplicaOptions
  readonly #replica: Replica
  readonly #heartbeat: Heartbeat
  /** Mirror of all tenants, which only adds new tenants. */
  readonly #mirror: Mirror
  readonly #stores = new Map<number, Store>()
  readonly #ending = new AbortController()
  readonly #telling = new Mutex()
  readonly #noteConfigurations: ReturnType<typeof differenceLog>
  #identified: Identified = { configured: [], digest: '', ids: new Map(), losses: 0 }
  /** Configured tenants that the database lacked in the last round. */
  #unregistered = 0
  /** Tenants that are given back once their work has ended. */
  #leaving: ReadonlySet<number> = new Set()
  #worker: TenantWorker | null = null
  #told = ''
  #facts: Omit<ReplicaFacts, 'isConfirmed' | 'owned'> = { heartbeatAt: 0, takeovers: 0, unowned: 0, configurations: 0 }
  /** Number of tenants to give back after the last round. */
  #surplus = 0
  #surplusSince: number | null = null
  #registeredAt = Number.NEGATIVE_INFINITY
  readonly #loops: Promise<void>[] = []

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.#replica = new Replica(options.heartbeats, options.clock, options.id)
    this.#heartbeat = new Heartbeat(options, this.#replica)
    this.#mirror = options.storeOver(options.database)
    this.#noteConfigurations = differenceLog(options.log, options.clock)
  }

  of(tenant: string): Mirror | null {
    const id = this.#ids.get(tenant)
    return id === undefined || this.#isLost || this.#leaving.has(id) ? null : this.#storeOf(id)
  }

  shared(): Mirror | null {
    return this.#storeOf(noTenant)
  }

  async configure(tenants: readonly TenantName[], at: number, digest: () => Promise<string>): Promise<() => void> {
    const before = this.#identified
    const undo = () => this.#become(before)
    this.#become(await this.#identify({ configured: tenants, digest: await digest() }, at))
    try {
      await this.#register()
      await this.#beat()
      // Start heartbeats now: opening the tenants may take longer than a heartbeat is valid.
      if (this.#loops.length === 0)
        this.#loops.push(
          this.#every(beatEveryMs, () => this.#beat()),
          // Problems are logged by the heartbeats.
          this.#every(beatEveryMs, () => this.#heartbeat.probe().catch(() => {})),
        )
      // Only take tenants: giving some back would wait for the worker, which may wait for this.
      await this.#take()
    } catch (error) {
      undo()
      throw error
    }
    return undo
  }

  removed(): Promise<readonly string[]> {
    return this.#replica.abandoned()
  }

  /** Invalidates counts of records that were read before. */
  countsSettled(): void {
    this.#replica.countsSettled()
  }

  facts(): ReplicaFacts {
    const isConfirmed = this.#replica.isConfirmed && !this.#isLost
    const without = isConfirmed ? this.#leaving : this.#replica.lastEpochs
    const own = [...this.#ids.values()].filter((id) => without.has(id)).length
    const unowned = Math.min(this.#facts.unowned + own, this.#ids.size)
    return { ...this.#facts, unowned, isConfirmed, owned: this.#owned() }
  }

  owners(): Promise<ReadonlyMap<string, OwnerView>> {
    return readOwners(this.#options.database)
  }

  begin(worker: TenantWorker): void {
    this.#worker = worker
    this.#told = this.#owned()
    // Separate loops, because giving a tenant back waits for the end of its work.
    this.#loops.push(
      this.#every(beatEveryMs, () => this.#take()),
      this.#every(beatEveryMs, () => this.#giveBackSurplus()),
      this.#every(lookEveryMs, () => this.#tell()),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#loops)
    for (const { store } of this.#stores.values()) await store[Symbol.asyncDispose]()
    // Otherwise it counts as dead ten seconds later.
    await this.#replica.leave().catch(() => {})
  }

  get #ids(): Identified['ids'] {
    return this.#identified.ids
  }

  /** True if commits may have been lost since the ids were read; then no tenant is worked on. */
  get #isLost(): boolean {
    return this.#identified.losses !== this.#replica.losses
  }

  /** Adds tenants that the mirror lacks. */
  async #identify({ configured, digest }: Pick<Identified, 'configured' | 'digest'>, at: number): Promise<Identified> {
    const { losses } = this.#replica
    const known = new Map((await this.#mirror.tenants()).map(({ name, id }) => [name, id]))
    const ids = new Map<string, number>()
    for (const { name, baseUrl } of configured)
      ids.set(name, known.get(name) ?? (await this.#mirror.openTenant(name, baseUrl, at)).tenant.id)
    return { configured, digest, ids, losses }
  }

  #become(identified: Identified): void {
    if (identified.losses !== this.#identified.losses) this.#stores.clear()
    this.#identified = identified
    this.#registeredAt = Number.NEGATIVE_INFINITY
  }

  /** After a restore or a failover, tenants may be missing from the database, or have other ids. */
  async #identifyAgain(): Promise<void> {
    const before = this.#identified
    await settleSequences(this.#options.database, this.#options.log)
    const identified = await this.#identify(before, this.#options.clock.now())
    if (before === this.#identified) this.#become(identified)
  }

  #storeOf(id: number): Mirror | null {
    const epoch = this.#replica.epochs.get(id)
    if (epoch === undefined) return null
    const known = this.#stores.get(id)
    if (known?.epoch === epoch) return known.store
    const { storeOver, database } = this.#options
    const fenced = this.#replica.fenced(id, database)
    // Rows that belong to no tenant may have been written by any replica, so they are not remembered.
    const store = storeOver(id === noTenant ? fenced : fenced.remembering())
    this.#stores.set(id, { epoch, store })
    return store
  }

  #every(ms: number, work: () => Promise<void>): Promise<void> {
    return repeat(ms, work, this.#options, this.#ending.signal)
  }

  async #beat(): Promise<void> {
    const heartbeatAt = this.#options.clock.now()
    await this.#heartbeat.beat(this.#identified.digest)
    this.#facts = { ...this.#facts, heartbeatAt }
  }

  async #take(): Promise<void> {
    // A copy of another mirror may have begun, and been interrupted, before this replica owned anything.
    if (this.#replica.epochs.size === 0) await insistOnNoCopy(this.#options.heartbeats)
    if (this.#isLost || this.#unregistered > 0) await this.#identifyAgain()
    if (this.#options.clock.monotonic() - this.#registeredAt > hourMs) await this.#register()
    const leaving = this.#leaving
    const { takenOver, unowned, unregistered, surplus, configurations } = await this.#replica.balance([
      ...this.#ids.values(),
    ])
    this.#unregistered = unregistered
    this.#noteConfigurations(configurations)
    this.#facts = {
      ...this.#facts,
      takeovers: this.#facts.takeovers + takenOver,
      unowned: unowned + unregistered,
      configurations: configurations.length,
    }
    // A surplus counted while tenants were being given back may include them.
    this.#surplus = leaving.size === 0 && leaving === this.#leaving ? surplus : 0
  }

  async #register(): Promise<void> {
    await this.#replica.register([noTenant, ...this.#ids.values()])
    this.#registeredAt = this.#options.clock.monotonic()
  }

  async #giveBackSurplus(): Promise<void> {
    // Give back tenants that were removed from the configuration: another replica may still have them.
    const configured = new Set([noTenant, ...this.#ids.values()])
    const removed = [...this.#replica.epochs.keys()].filter((id) => !configured.has(id))
    const idle = this.#idle(Math.min(this.#surplus, mostGivenBack))
    if (removed.length + idle.length === 0) return
    this.#surplus = 0
    await this.#giveBack(new Set([...removed, ...idle]))
  }

  /** Idle tenants, the last ones first, because after a start their first runs begin last. */
  #idle(surplus: number): readonly number[] {
    const now = this.#options.clock.monotonic()
    const worker = this.#worker
    if (surplus === 0 || worker === null) {
      this.#surplusSince = null
      return []
    }
    this.#surplusSince ??= now
    const { epochs } = this.#replica
    const own = [...this.#ids].filter(([, id]) => epochs.has(id)).toReversed()
    const idle = own.filter(([name]) => worker.isIdle(name)).slice(0, surplus)
    const isOverdue = now - this.#surplusSince >= waitsForIdleMs
    const given = idle.length === 0 && isOverdue ? own.slice(0, 1) : idle
    if (given.length > 0) this.#surplusSince = null
    return given.map(([, id]) => id)
  }

  async #giveBack(ids: ReadonlySet<number>): Promise<void> {
    try {
      await this.#telling.runExclusive(async () => {
        this.#leaving = ids
        await this.#follow()
      })
      const stores = [...ids].flatMap((id) => this.#stores.get(id)?.store ?? [])
      for (const id of ids) this.#stores.delete(id)
      await Promise.allSettled(stores.map((store) => store[Symbol.asyncDispose]()))
      await this.#replica.release(ids)
    } finally {
      this.#leaving = new Set()
    }
  }

  #tell(): Promise<void> {
    return this.#telling.runExclusive(() => this.#follow())
  }

  /** Notifies the worker if the stores have changed since the last time. */
  async #follow(): Promise<void> {
    const owned = this.#owned()
    if (this.#worker === null || owned === this.#told) return
    const { epochs } = this.#replica
    for (const id of this.#stores.keys()) if (!epochs.has(id)) this.#stores.delete(id)
    await this.#worker.follow()
    this.#told = owned
  }

  #owned(): string {
    const epochs = [...this.#replica.epochs].filter(([id]) => !this.#leaving.has(id))
    return JSON.stringify([this.#isLost, this.#identified.losses, epochs.toSorted(([a], [b]) => a - b)])
  }
}
