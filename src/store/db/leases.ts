import { createHash } from 'node:crypto'
import { Mutex } from 'async-mutex'
import type { Clock } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import type { Db, Sql } from './db.ts'
import * as text from './lease-statements.ts'

/** Interval between renewals. */
export const renewEveryMs = 2 * secondMs

/** Time after sending its last confirmed renewal for which a process may write, by its monotonic clock. */
const writesForMs = 6 * secondMs

/** The right to write a tenant. */
export interface Lease {
  readonly tenantId: number
  /** Null for rows that belong to no tenant. */
  readonly tenant: string | null
  /** Raised each time it is taken. */
  readonly epoch: number
  /** In microseconds. A restart may lose the last commits, so nothing that was read before it may be used. */
  readonly serverStart: number
}

export interface LeasedTenant {
  readonly name: string
  readonly baseUrl: string
}

/** What a renewal found; numbers of tenants. */
export interface Renewal {
  /** Taken from replicas that died. */
  readonly takenOver: number
  /** Configured, and owned by no living replica. */
  readonly unowned: number
  /** Owned beyond the share of this replica. */
  readonly surplus: number
}

export interface LeaseOptions {
  /** Its transactions must take a few seconds at most, because without a renewal nothing is written. */
  readonly db: Db
  readonly clock: Pick<Clock, 'monotonic' | 'now'>
  /** New at each start of the process. */
  readonly id: string
  /** Throws unless the tables are those of this version; then nothing is renewed or taken. */
  readonly assertTables: (sql: Sql) => Promise<void>
  /** True for a command that only works without replicas beside it. */
  readonly alone?: boolean
}

interface State {
  /** True if other processes have seen this one: it was alive before this renewal. */
  readonly isKnown: number
  /** True while another process works alone or waits to do so. */
  readonly isAnotherAlone: number
  /** True if such a process was the last owner of everything. */
  readonly wasAnotherAlone: number
  /** Living replicas with the same tenants, this one included. */
  readonly replicas: number
  readonly registered: number
  readonly owned: number
}

/** By name of the tenant; null = for rows that belong to no tenant. */
type Held = ReadonlyMap<string | null, Lease>

interface TakenLease extends Lease {
  readonly lastOwner: string | null
}

/** The leases of one process (docs/reliability.md#replicas). They lapse by the clock of the database. */
export class Leases {
  /** Configured tenants; replicas with the same ones share them. */
  tenants: readonly LeasedTenant[] = []
  readonly #options: LeaseOptions
  /** Renewals and releases change the same rows. */
  readonly #turns = new Mutex()
  #held: Held = new Map()
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /** True while the last renewal is recent: until then no other process can have taken a lease. */
  get isConfirmed(): boolean {
    return this.#options.clock.monotonic() - this.#sentAt < writesForMs
  }

  /** Empty unless confirmed. */
  get held(): Held {
    return this.isConfirmed ? this.#held : new Map()
  }

  /** `held` as of when it was last confirmed. */
  get lastHeld(): Held {
    return this.#held
  }

  /** Query and parameters that return a row until another process takes the lease. */
  fenceOf({ tenantId, epoch }: Lease): readonly [query: string, params: readonly unknown[]] {
    return ['select 1 from leases where tenant_id = ? and owner = ? and epoch = ?', [tenantId, this.#options.id, epoch]]
  }

  /**
   * Renews the leases of this process, and takes free ones up to its share. Its first renewal takes nothing, so that no
   * two processes can both believe to be alone. Call it every two seconds.
   *
   * @throws SyncError `store`; what `assertTables` throws.
   */
  renew(): Promise<Renewal> {
    return this.#turns.runExclusive(async () => {
      const { db, clock, assertTables } = this.#options
      const tenants = this.tenants
      const sentAt = clock.monotonic()
      const { state, renewed, taken } = await db.write(async (sql) => {
        await assertTables(sql)
        const params = [this.#params(tenants)]
        const [state] = (await sql<State>(text.stateText, params)) as [State]
        const renewed = await sql<Lease>(text.renewText, params)
        if (state.registered < tenants.length) await register(sql, tenants, clock.now())
        return { state, renewed, taken: await this.#take(sql, tenants, { state, renewed }) }
      })
      this.#sentAt = sentAt
      this.#hold(renewed, taken)
      const takenTenants = taken.filter(({ tenantId }) => tenantId !== text.noTenant)
      const own = ownOf(tenants, [...renewed, ...takenTenants])
      return {
        takenOver: takenTenants.filter(({ lastOwner }) => lastOwner !== null && lastOwner !== this.#options.id).length,
        unowned: Math.max(0, tenants.length - state.owned - takenTenants.length),
        surplus: Math.max(0, own - shareOf(tenants, state)),
      }
    })
  }

  /**
   * Takes the leases of everything; call `renew` before. False while another process lives.
   *
   * @throws SyncError `store`; what `assertTables` throws.
   */
  takeAll(): Promise<boolean> {
    return this.#turns.runExclusive(async () => {
      const taken = await this.#options.db.write(async (sql) => {
        await this.#options.assertTables(sql)
        await register(sql, [], 0)
        const params = [this.#params([])]
        if ((await sql(text.othersText, params)).length > 0) return []
        return await sql<Lease>(text.takeAllText, params)
      })
      this.#hold([], taken)
      return taken.length > 0
    })
  }

  /** Call after the last write under these leases. @throws SyncError `store`. */
  release(leases: readonly Lease[]): Promise<void> {
    return this.#turns.runExclusive(async () => {
      const { db, id } = this.#options
      const tenants = new Set(leases.map(({ tenant }) => tenant))
      this.#held = new Map([...this.#held].filter(([tenant]) => !tenants.has(tenant)))
      const released = db.dialect.listOf(leases.map(({ tenantId }) => tenantId))
      await db.write((sql) => sql(text.releaseText, [{ id, tenantIds: released }]))
    })
  }

  /** Call at the end of the process, after its last write: others take its tenants at once. @throws SyncError `store`. */
  leave(): Promise<void> {
    return this.#turns.runExclusive(async () => {
      const { db, id } = this.#options
      this.#held = new Map()
      await db.write(async (sql) => {
        await sql(text.releaseAllText, [{ id }])
        await sql(text.leaveText, [{ id }])
      })
    })
  }

  /** Takes everything that is free, up to the share of this replica. */
  async #take(
    sql: Sql,
    tenants: readonly LeasedTenant[],
    { state, renewed }: { readonly state: State; readonly renewed: readonly Lease[] },
  ): Promise<readonly TakenLease[]> {
    const { alone = false } = this.#options
    // A process that waits to work alone waits for those that own something.
    const isClosed = state.isAnotherAlone === 1 && renewed.length === 0
    if (alone || state.isKnown === 0 || isClosed) return []
    const params = this.#params(tenants)
    const shared = await sql<TakenLease>(text.takeSharedText, [{ ...params, most: 1 }])
    // A killed command may have a transaction for any tenant, which ends before that lease is taken.
    if (state.wasAnotherAlone === 1) return shared
    const most = shareOf(tenants, state) - ownOf(tenants, renewed)
    if (most <= 0) return shared
    return [...shared, ...(await sql<TakenLease>(text.takeTenantsText, [{ ...params, most }]))]
  }

  /** An unchanged lease stays the same object. */
  #hold(renewed: readonly Lease[], taken: readonly Lease[]): void {
    const kept = renewed.map((lease) => {
      const known = this.#held.get(lease.tenant)
      return known !== undefined && isSame(known, lease) ? known : lease
    })
    // The tenant of a lease may have been erased.
    const ofTenants = [...kept, ...taken].filter(
      ({ tenant, tenantId }) => tenant !== null || tenantId === text.noTenant,
    )
    this.#held = new Map(ofTenants.map((lease) => [lease.tenant, lease]))
  }

  #params(tenants: readonly LeasedTenant[]) {
    const { db, id, alone = false } = this.#options
    const names = tenants.map(({ name }) => name)
    const digest = createHash('sha256').update(JSON.stringify(names.toSorted())).digest('hex')
    return { id, alone, digest, names: db.dialect.listOf(names) }
  }
}

function isSame(a: Lease, b: Lease): boolean {
  return a.tenantId === b.tenantId && a.epoch === b.epoch && a.serverStart === b.serverStart
}

/** Adds the rows that the database lacks at first, or after a restore. */
async function register(sql: Sql, tenants: readonly LeasedTenant[], at: number): Promise<void> {
  const names = tenants.map(({ name }) => name)
  const urls = tenants.map(({ baseUrl }) => baseUrl)
  if (tenants.length > 0) await sql(text.registerTenantsText, [{ names, urls, at }])
  await sql(text.registerLeasesText)
}

function shareOf(tenants: readonly LeasedTenant[], { replicas }: State): number {
  return Math.ceil(tenants.length / Math.max(1, replicas))
}

/** Number of leases of configured tenants. */
function ownOf(tenants: readonly LeasedTenant[], leases: readonly Lease[]): number {
  const names = new Set<string | null>(tenants.map(({ name }) => name))
  return leases.filter(({ tenant }) => names.has(tenant)).length
}
