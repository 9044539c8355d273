import type { Clock } from '../../../model/clock.ts'
import { silentLog } from '../../../model/log.ts'
import type { CopyOptions } from '../../copy.ts'
import { LeasedStores, newEngineId } from '../../leased-stores.ts'
import type { Mirror } from '../../port.ts'
import { storesOver } from '../../stores.ts'
import type { TenantStores } from '../../tenant-stores.ts'
import type { Db } from '../db.ts'
import { fenceOf } from '../leases.ts'
import { shown } from './address.ts'
import { copyInto } from './copy-into.ts'
import { newerLayout, newestAppliedText, newestOf, postgresMigrations } from './migrate.ts'
import { type OpenedPostgres, type OpenOptions, openPostgres } from './open.ts'

type Options = OpenOptions & { readonly clock: Clock }

/** @throws FatalError when the database cannot be used as it is; as `engine`, also while another engine uses it. */
export async function openPostgresMirror(options: Options): Promise<Mirror> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openPostgres(options))
  const db = options.role === 'beside' ? opened.work : await aloneOn(opened, options, opening)
  return postgresMirror(db, opening)
}

/**
 * Copies a mirror into an empty database, as its only engine.
 *
 * @throws FatalError when it cannot be used, is not empty, or an engine works on it; like `copyInto`.
 */
export async function copyToPostgres(options: Omit<Options, 'role'>, copy: CopyOptions) {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openPostgres({ ...options, role: 'engine' }))
  const db = await aloneOn(opened, options, opening)
  /** Address for messages. */
  const place = shown(opened.address)
  return { place, tables: await copyInto(db, copy) }
}

/**
 * Joins the replicas on the database, or works alone on it. The mirror only reads.
 *
 * @throws FatalError when the database cannot be used as it is.
 */
export async function openAsReplica(
  options: Options & { readonly alone: boolean },
): Promise<{ readonly mirror: Mirror; readonly stores: TenantStores }> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openPostgres({ ...options, role: 'engine' }))
  const stores = leasedStores({ ...options, ...opened }, (db) => postgresMirror(db))
  return { mirror: postgresMirror(opened.show.fencedBy('select 1 where false'), opening), stores }
}

type Engine = Omit<OpenedPostgres, 'address' | typeof Symbol.asyncDispose> &
  Pick<Options, 'clock' | 'log' | 'random'> & { readonly alone: boolean }

function leasedStores<Store>(options: Engine, storeOver: (db: Db) => Store): LeasedStores<Store> {
  const { work, random, log = silentLog() } = options
  const [id, newest] = [newEngineId(random), newestOf(postgresMigrations())]
  return new LeasedStores({
    ...options,
    ...{ id, log },
    async assertTables(sql) {
      const [at = 0] = await sql<number>(newestAppliedText, [], 'values')
      if (at > newest) throw newerLayout()
    },
    storeOf: (held) => storeOver(work.fencedBy(fenceOf(id, held))),
  })
}

/** The database for its only engine: nothing is written once another process has taken over. */
async function aloneOn(opened: OpenedPostgres, options: Omit<Options, 'role'>, opening: AsyncDisposableStack) {
  const stores = opening.use(leasedStores({ ...options, ...opened, alone: true }, (db) => db))
  await stores.configure([])
  const db = stores.shared()
  if (db === null) throw new TypeError('The lease of the rows without a tenant was not taken')
  return db
}

/** @param opening disposed of with the mirror. */
export function postgresMirror(db: Db, opening?: AsyncDisposableStack): Mirror {
  // Moved out of the scope of the function that opened it.
  const opened = opening?.move()
  return {
    ...storesOver(db),
    async ping() {
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
