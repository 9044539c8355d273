import type { Clock } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import type { List } from '../database.ts'
import type { PostgresDatabase } from './database.ts'

/** After its last heartbeat a replica is dead, by the clock of the database; in milliseconds. */
const deadMs = 10 * secondMs

/** A replica writes no longer than this after it sent its last confirmed heartbeat, by its monotonic clock. */
const writesForMs = 6 * secondMs

const alive = `r.seen_at > clock_timestamp() - interval '${deadMs} milliseconds'`

/** A new owner raises the epoch, which waits for the transactions that hold this lock. */
const fence = 'select 1 from tenant_owners where tenant_id = ? and owner = ? and epoch = ? for key share'

interface Owned {
  readonly tenantId: number
  readonly epoch: number
}

interface Shares {
  readonly replicas: number
  readonly tenants: number
  readonly own: number
}

/** One process of several on the same database, and the tenants that it owns: only their owner writes them. */
export class Replica {
  readonly #database: PostgresDatabase
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #id: string
  readonly #sql: ReturnType<typeof statementsOf>
  #epochs: ReadonlyMap<number, number> = new Map()
  #sentAt = Number.NEGATIVE_INFINITY

  /** @param id new at each start of the process. */
  constructor(database: PostgresDatabase, clock: Pick<Clock, 'monotonic'>, id: string) {
    this.#database = database
    this.#clock = clock
    this.#id = id
    this.#sql = statementsOf(database)
  }

  /** Epochs of the tenants that this replica may write now. Without a recent heartbeat, others may own them. */
  get epochs(): ReadonlyMap<number, number> {
    return this.#clock.monotonic() - this.#sentAt < writesForMs ? this.#epochs : new Map()
  }

  /** The database for one tenant under its present epoch. @throws RangeError when this replica does not own it. */
  databaseOf(tenantId: number): PostgresDatabase {
    const epoch = this.epochs.get(tenantId)
    if (epoch === undefined) throw new RangeError(`This replica does not own tenant ${tenantId}`)
    return this.#database.fencedBy(fence, [tenantId, this.#id, epoch])
  }

  /** Every two seconds. @throws SyncError `store`. */
  async beat(): Promise<void> {
    const sql = this.#sql
    const id = this.#id
    const sentAt = this.#clock.monotonic()
    const owned = await this.#database.write('nothing', function* () {
      yield* sql.seen.run(id)
      return yield* sql.owned.all(id)
    })
    this.#sentAt = sentAt
    this.#epochs = new Map(owned.map(({ tenantId, epoch }) => [tenantId, epoch]))
  }

  /**
   * Takes tenants that no living replica owns, up to an even share of all, or gives one back when others are below it.
   *
   * @param configured tenants that this replica knows.
   * @param isIdle whether a tenant is between two runs.
   * @throws SyncError `store`.
   */
  async balance(configured: readonly number[], isIdle: (tenantId: number) => boolean): Promise<void> {
    const database = this.#database
    const sql = this.#sql
    const id = this.#id
    const among = database.sql.listOf(configured)
    const { shares, taken } = await database.write('nothing', function* () {
      yield* sql.register.run(among)
      yield* sql.forget.run()
      const shares = (yield* sql.shares.get({ id, among })) ?? { replicas: 1, tenants: 0, own: 0 }
      const most = shareOf(shares) - shares.own
      return { shares, taken: most > 0 ? yield* sql.take.all({ id, most, among }) : [] }
    })
    this.#epochs = new Map([...this.#epochs, ...taken.map(({ tenantId, epoch }) => [tenantId, epoch] as const)])
    const idle = [...this.#epochs.keys()].find(isIdle)
    if (shares.own > shareOf(shares) && idle !== undefined) await this.#release(idle)
  }

  /** At the end of the process, when its runs have ended: others take its tenants at once. @throws SyncError `store`. */
  async leave(): Promise<void> {
    const sql = this.#sql
    const id = this.#id
    this.#epochs = new Map()
    await this.#database.write('nothing', function* () {
      yield* sql.releaseAll.run(id)
      yield* sql.gone.run(id)
    })
  }

  async #release(tenantId: number): Promise<void> {
    // First, so that no run begins meanwhile.
    this.#epochs = new Map([...this.#epochs].filter(([owned]) => owned !== tenantId))
    await this.#database.write('nothing', () => this.#sql.release.run(tenantId, this.#id))
  }
}

function shareOf({ tenants, replicas }: Shares): number {
  return Math.ceil(tenants / Math.max(1, replicas))
}

const isAmong = 'tenant_id = any(@among)'

function statementsOf(database: PostgresDatabase) {
  return {
    seen: database.prepare<[string]>(
      `insert into replicas (id, seen_at) values (?, clock_timestamp())
       on conflict (id) do update set seen_at = excluded.seen_at`,
    ),
    owned: database.prepare<[string], Owned>(
      'select tenant_id as "tenantId", epoch from tenant_owners where owner = ? order by tenant_id',
    ),
    register: database.prepare<[List]>(
      `insert into tenant_owners (tenant_id, owner, epoch) select x, null, 0 from unnest(cast(? as bigint[])) v (x)
       on conflict do nothing`,
    ),
    /** Long after it died. */
    forget: database.prepare<[]>(`delete from replicas where seen_at < clock_timestamp() - interval '1 hour'`),
    shares: database.prepare<[object], Shares>(
      `select (select count(*) from replicas r where ${alive}) as replicas,
         count(*) as tenants, count(*) filter (where owner = @id) as own
       from tenant_owners where ${isAmong}`,
    ),
    take: database.prepare<[object], Owned>(
      `with free as materialized (
         select tenant_id from tenant_owners o
         where ${isAmong} and owner is distinct from @id
           and not exists (select 1 from replicas r where r.id = o.owner and ${alive})
         order by tenant_id limit @most for update skip locked)
       update tenant_owners set owner = @id, epoch = epoch + 1 where tenant_id in (select tenant_id from free)
       returning tenant_id as "tenantId", epoch`,
    ),
    release: database.prepare<[number, string]>(
      'update tenant_owners set owner = null, epoch = epoch + 1 where tenant_id = ? and owner = ?',
    ),
    releaseAll: database.prepare<[string]>('update tenant_owners set owner = null, epoch = epoch + 1 where owner = ?'),
    gone: database.prepare<[string]>('delete from replicas where id = ?'),
  }
}
