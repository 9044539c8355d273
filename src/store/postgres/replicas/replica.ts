import { createHash } from 'node:crypto'
import type { Clock } from '../../../model/clock.ts'
import { secondMs } from '../../../model/durations.ts'
import { SyncError } from '../../../model/errors.ts'
import { ahead } from '../../steps.ts'
import type { PostgresDatabase } from '../database.ts'
import { newerLayout, newestMigration } from '../migrate.ts'
import { enableTriggers, type Triggers } from '../triggers.ts'
import { type Configurations, type Configured, configurationsOf } from './configurations.ts'
import { type Owned, replicaStatements } from './replica-statements.ts'
import { firstRounds, nothingShared, partOf, shareOf } from './shares.ts'

/** Used as tenant id for work that belongs to no tenant. */
export const noTenant = 0

/** Time after sending its last confirmed heartbeat for which a replica may write, by its monotonic clock. */
const writesForMs = 6 * secondMs

/** A new owner raises the epoch, and for that waits for transactions with this lock. */
const fence = 'select 1 from tenant_owners where tenant_id = ? and owner = ? and epoch = ? for key share'

/** Exclusive lock of the fence, granted when nobody writes. */
const lock = 'select 1 from tenant_owners where tenant_id = ? and owner = ? and epoch = ? for update'

export interface Balance {
  /** Tenants that this replica took over from a dead one. */
  readonly takenOver: number
  /** Configured tenants that no living replica owns. */
  readonly unowned: number
  /** Configured tenants without a row, as after a restore. */
  readonly unregistered: number
  /** Number of tenants to give back now: some of those beyond its share, which another replica lacks. */
  readonly surplus: number
  /** Configurations of living replicas; empty if none has stated its own. */
  readonly configurations: Configurations
}

/** One of several processes on a database, and the tenants that it owns. Only the owner writes a tenant. */
export class Replica {
  readonly #database: PostgresDatabase
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #id: string
  readonly #alone: boolean
  readonly #sql: ReturnType<typeof replicaStatements>
  readonly #layout = newestMigration()
  #epochs: ReadonlyMap<number, number> = new Map()
  #sentAt = Number.NEGATIVE_INFINITY
  #serverStart: number | null = null
  #reachedStart: number | null = null
  #isCountDoubted = false
  /** Versions of the triggers with which records were counted; null = unknown. */
  #triggers: string | null = null
  /** Time of the last confirmed heartbeat by the clock of the database; 0 = none. */
  #lastBeat = 0
  #losses = 0
  #rounds = 0
  #configured = ''
  /** Number of changes of `#epochs`; a change invalidates earlier reads. */
  #changes = 0

  /**
   * @param id new at each start of the process.
   * @param alone true for a process that only works without others.
   */
  constructor(database: PostgresDatabase, clock: Pick<Clock, 'monotonic'>, id: string, alone = false) {
    this.#database = database
    this.#clock = clock
    this.#id = id
    this.#alone = alone
    this.#sql = replicaStatements(database)
  }

  /** True while the last heartbeat is recent. */
  get isConfirmed(): boolean {
    return this.#clock.monotonic() - this.#sentAt < writesForMs
  }

  /** Epochs of the tenants that this replica may write now. Without a recent heartbeat, others may own them. */
  get epochs(): ReadonlyMap<number, number> {
    return this.isConfirmed ? this.#epochs : new Map()
  }

  /** `epochs` as of when a heartbeat was last recent. */
  get lastEpochs(): ReadonlyMap<number, number> {
    return this.#epochs
  }

  /**
   * `over` for a tenant under its current epoch: nothing is written once another replica owns the tenant.
   *
   * @throws RangeError when this replica does not own it.
   */
  fenced(tenantId: number, over = this.#database): PostgresDatabase {
    const epoch = this.epochs.get(tenantId)
    if (epoch === undefined) throw new RangeError(`This replica does not own tenant ${tenantId}`)
    return over.fencedBy(fence, [tenantId, this.#id, epoch], lock)
  }

  /** How often commits may have been lost; a change of this number invalidates earlier reads. */
  get losses(): number {
    return this.#losses
  }

  /** When the server of the last confirmed heartbeat began, in microseconds since the epoch; null before the first one. */
  get serverStart(): number | null {
    return this.#serverStart
  }

  /** The same for the last heartbeat, even if it could not be stored. */
  get reachedStart(): number | null {
    return this.#reachedStart
  }

  /** True if records may have changed while triggers did not fire: counts must be settled before the next heartbeat. */
  get isCountDoubted(): boolean {
    return this.#isCountDoubted
  }

  /** Call after counts were settled: invalidates what is in memory. */
  countsSettled(): void {
    this.#isCountDoubted = false
    this.#losses++
  }

  /** @throws SyncError `store` while triggers are missing, switched off or replaced; then this replica owns nothing. */
  async insistOnTriggers(): Promise<void> {
    const triggers = await this.#database.read(() => this.#sql.triggers.get())
    this.#triggers = null
    this.#note(triggers)
  }

  /**
   * Sends a heartbeat; call it every two seconds. After a restart of the server, a failover or a restore, the last
   * commits may be lost: all epochs are raised, so that nothing in memory is used. A restore is recognized by the last
   * heartbeat.
   *
   * @param configuration digest of the configuration; empty for a process that works alone.
   * @throws SyncError `store`, also while triggers do not fire; FatalError, without a stored heartbeat, once a newer
   * version has changed the layout.
   */
  async beat(configuration = ''): Promise<void> {
    const sql = this.#sql
    const [id, alone, configured] = [this.#id, this.#alone, this.#configured]
    const [known, layout, lastBeat] = [this.#serverStart, this.#layout, this.#lastBeat]
    const sentAt = this.#clock.monotonic()
    const changes = this.#changes
    const highest = Math.max(0, ...this.#epochs.values())
    // The commit may have succeeded without an answer.
    const lose = () => {
      this.#losses++
    }
    const reach = (start: number) => {
      this.#reachedStart = start
    }
    const note = (triggers: Triggers | undefined) => this.#note(triggers)
    const { started, seen, owned } = await this.#database.write('nothing', function* () {
      const start = yield* ahead(sql.serverStart.get())
      const triggers = yield* ahead(sql.triggers.get())
      const last = yield* ahead(sql.lastSeen.get(id))
      const seenNow = yield* ahead(sql.seen.get(id, alone, configured, configuration))
      const started = (yield* start) ?? 0
      reach(started)
      if (((yield* sql.layout.get()) ?? 0) > layout) throw newerLayout()
      note(yield* triggers)
      const [before = 0, seen = 0] = [yield* last, yield* seenNow]
      if (before < lastBeat || (known !== null && known !== started)) {
        lose()
        yield* sql.renew.run(highest, id)
      }
      return { started, seen, owned: yield* sql.owned.all(id) }
    })
    this.#sentAt = sentAt
    this.#serverStart = started
    this.#lastBeat = seen
    if (changes === this.#changes) this.#epochs = epochsOf(owned)
  }

  /**
   * Registers configured tenants; call before tenants are taken, and hourly. The next heartbeat informs other replicas.
   * @throws SyncError `store`.
   */
  async register(tenants: readonly number[]): Promise<void> {
    this.#configured = createHash('sha256')
      .update(JSON.stringify(tenants.toSorted((a, b) => a - b)))
      .digest('hex')
    await this.#database.write('nothing', () => this.#sql.register.run(this.#database.sql.listOf(tenants)))
  }

  /**
   * Takes registered tenants that no living replica owns, up to an equal share; none while a process works alone.
   *
   * @throws SyncError `store`.
   */
  async balance(tenantIds: readonly number[]): Promise<Balance> {
    const sql = this.#sql
    const id = this.#id
    const [none, among] = [[noTenant], tenantIds].map((ids) => this.#database.sql.listOf(ids))
    const [isNew, configured, lastBeat] = [this.#rounds < firstRounds, this.#configured, this.#lastBeat]
    const { shares, taken } = await this.#database.write('nothing', function* () {
      yield* sql.forget.run()
      const taken = [...(yield* sql.takeAny.all({ id, lastBeat, most: 1, among: none }))]
      const isShared = (yield* sql.isShared.get()) !== undefined
      const shares = (yield* sql.shares.get({ id, among, configured })) ?? nothingShared
      if (!isShared) return { shares, taken }
      const most = shareOf(shares, shares.established) - shares.own
      if (most > 0) taken.push(...(yield* sql.takeAbandoned.all({ id, lastBeat, most, among })))
      const isMostlyFree = shares.unowned > shares.tenants / 2
      const room = shareOf(shares, shares.replicas) - shares.own - taken.filter(isOfTenant).length
      const free = isNew && isMostlyFree ? Math.min(room, partOf(shares)) : room
      if (free > 0) taken.push(...(yield* sql.takeFree.all({ id, lastBeat, most: free, among })))
      return { shares, taken }
    })
    this.#rounds++
    if (taken.length > 0) this.#become(new Map([...this.#epochs, ...epochsOf(taken)]))
    const tenants = taken.filter(isOfTenant)
    const unowned = shares.unowned - tenants.length
    const surplus = Math.min(shares.own - shareOf(shares, shares.established), partOf(shares))
    return {
      takenOver: tenants.filter(({ former }) => former !== null).length,
      unowned,
      unregistered: Math.max(0, new Set(tenantIds).size - shares.tenants + shares.erased),
      // No surplus while others can still take free tenants.
      surplus: unowned > 0 ? 0 : Math.max(0, surplus),
      configurations: configurationsOf(JSON.parse(shares.living) as readonly Configured[]),
    }
  }

  /** Takes everything, for a process that works alone. False while another one lives. */
  async takeAll(): Promise<boolean> {
    const sql = this.#sql
    const id = this.#id
    const none = this.#database.sql.listOf([noTenant])
    const lastBeat = this.#lastBeat
    await this.register([noTenant])
    const taken = await this.#database.write('nothing', function* () {
      if ((yield* sql.others.get()) !== undefined) return []
      const taken = yield* sql.takeAny.all({ id, lastBeat, most: 1, among: none })
      // Waits for transactions of dead owners.
      if (taken.length > 0) yield* sql.disown.run()
      return taken
    })
    this.#become(epochsOf(taken))
    return taken.length > 0
  }

  /** Names of mirrored tenants that no replica's configuration has had for a day. @throws SyncError `store`. */
  abandoned(): Promise<readonly string[]> {
    return this.#database.read(() => this.#sql.abandoned.all())
  }

  /** Call after the last run of each of these tenants ended. @throws SyncError `store`. */
  async release(tenantIds: ReadonlySet<number>): Promise<void> {
    const released = this.#database.sql.listOf([...tenantIds])
    const forget = () => this.#become(new Map([...this.#epochs].filter(([owned]) => !tenantIds.has(owned))))
    forget()
    try {
      await this.#database.write('nothing', () => this.#sql.release.run(released, this.#id))
    } finally {
      // A concurrent heartbeat may have read the old owner.
      forget()
    }
  }

  /** Call at the end of the process, after its runs: others take its tenants at once. @throws SyncError `store`. */
  async leave(): Promise<void> {
    const sql = this.#sql
    const id = this.#id
    this.#become(new Map())
    await this.#database.write('nothing', function* () {
      yield* sql.releaseAll.run(id)
      yield* sql.gone.run(id)
    })
  }

  /** Notes the state of the triggers, which may have been off between two heartbeats. */
  #note({ lost = 1, versions = '' }: Partial<Triggers> = {}): void {
    this.#triggers ??= versions
    if (lost === 0 && versions === this.#triggers) return
    this.#isCountDoubted = true
    this.#sentAt = Number.NEGATIVE_INFINITY
    if (lost === 0) throw new SyncError('store', 'Triggers of the database were changed; records are counted again')
    throw new SyncError('store', 'Triggers of the database are missing, switched off or replaced', {
      hint: `Let the restore end, or ${enableTriggers}; nothing is owned until then`,
    })
  }

  #become(epochs: ReadonlyMap<number, number>): void {
    this.#epochs = epochs
    this.#changes++
  }
}

function isOfTenant({ tenantId }: Owned): boolean {
  return tenantId !== noTenant
}

function epochsOf(owned: readonly Owned[]): ReadonlyMap<number, number> {
  return new Map(owned.map(({ tenantId, epoch }) => [tenantId, epoch]))
}
