import type { Clock } from '../../../model/clock.ts'
import type { Log } from '../../../model/log.ts'
import type { CopiedRows, CopyOptions } from '../../copy.ts'
import { Database } from '../../database.ts'
import { LeasedStores } from '../../leased-stores.ts'
import type { Mirror } from '../../port.ts'
import { storesOver } from '../../stores.ts'
import type { TenantStores } from '../../tenant-stores.ts'
import type { Db, Sql } from '../db.ts'
import { leaseForEngine, newEngineId } from '../engine-lease.ts'
import { Leases } from '../leases.ts'
import { shown } from './address.ts'
import { copyInto } from './copy-into.ts'
import { newerLayout, newestAppliedText, newestOf, postgresMigrations } from './migrate.ts'
import { type OpenedPostgres, type OpenOptions, openPostgres } from './open.ts'

type Options = OpenOptions & { readonly clock: Clock }

/** @throws FatalError when the database cannot be used as it is; as `engine`, also while another engine uses it. */
export async function openPostgresMirror(options: Options): Promise<Mirror> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openPostgres(options))
  if (options.role === 'beside') return postgresMirror(opened.work, { opened: opening })
  const { db, assertHeld } = await engineOn(opened, options, opening)
  return postgresMirror(db, { opened: opening, assertHeld })
}

export interface CopiedMirror {
  /** Address for messages. */
  readonly place: string
  readonly tables: readonly CopiedRows[]
}

/**
 * Copies a mirror into an empty database, as its only engine.
 *
 * @throws FatalError when it cannot be used, is not empty, or an engine works on it; like `copyInto`.
 */
export async function copyToPostgres(options: Omit<Options, 'role'>, copy: CopyOptions): Promise<CopiedMirror> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openPostgres({ ...options, role: 'engine' }))
  const { db } = await engineOn(opened, options, opening)
  return { place: shown(opened.address), tables: await copyInto(db, copy) }
}

/**
 * Joins the replicas on the database. Its mirror only reads.
 *
 * @throws FatalError when the database cannot be used as it is.
 */
export async function openAsReplica(
  options: Options & { readonly log: Log },
): Promise<{ readonly mirror: Mirror; readonly stores: TenantStores }> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openPostgres({ ...options, role: 'engine' }))
  return replicaOver({ ...options, ...opened }, opening)
}

/** @param opening disposed of with the mirror. */
export function replicaOver(
  options: Omit<OpenedPostgres, 'address' | typeof Symbol.asyncDispose> &
    Pick<Options, 'clock' | 'random'> & { readonly log: Log },
  opening: AsyncDisposableStack,
): { readonly mirror: Mirror; readonly stores: LeasedStores } {
  const { work, show, lease, clock, random, log } = options
  const leases = new Leases({ db: lease, clock, id: newEngineId(random), assertTables: tablesCheck() })
  const stores = new LeasedStores({
    ...{ leases, clock, random, log },
    db: show,
    storeOf: (held) => postgresMirror(work.fencedBy(...leases.fenceOf(held))),
  })
  return { mirror: postgresMirror(show.fencedBy('select 1 where false'), { opened: opening }), stores }
}

/** The database, as its only engine. */
async function engineOn(
  { work, lease }: OpenedPostgres,
  { clock, random }: Pick<Options, 'clock' | 'random'>,
  opening: AsyncDisposableStack,
) {
  const held = opening.use(
    await leaseForEngine({ db: lease, clock, id: newEngineId(random), assertTables: tablesCheck() }),
  )
  return { db: work.fencedBy(...held.fence), assertHeld: () => held.assertHeld() }
}

/** @returns function that throws FatalError for a newer layout. */
function tablesCheck(): (sql: Sql) => Promise<void> {
  const newest = newestOf(postgresMigrations())
  return async (sql) => {
    const [at = 0] = await sql<number>(newestAppliedText, [], 'values')
    if (at > newest) throw newerLayout()
  }
}

interface Parts {
  /** Disposed of with the mirror. */
  readonly opened?: AsyncDisposableStack
  readonly assertHeld?: () => void
}

export function postgresMirror(db: Db, parts: Parts = {}): Mirror {
  const { assertHeld = () => {} } = parts
  // Moved out of the scope of the function that opened it.
  const opened = parts.opened?.move()
  const stores = storesOver(new Database(db))
  return {
    ...stores,
    async ping() {
      assertHeld()
      await db.read((sql) => sql('select 1'))
    },
    isVerified: () => true,
    // `data_checksums` and `pg_amcheck` find damaged pages.
    async verify() {},
    async [Symbol.asyncDispose]() {
      await opened?.disposeAsync()
    },
  }
}
