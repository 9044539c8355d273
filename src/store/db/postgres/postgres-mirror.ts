import type { Clock } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import { FatalError } from '../../model/errors.ts'
import { type Log, silentLog } from '../../model/log.ts'
import type { Operations } from '../database.ts'
import type { Mirror } from '../port.ts'
import { storesOver } from '../stores.ts'
import type { TenantStores } from '../tenant-stores.ts'
import { insistOnNoCopy } from './copy-mark.ts'
import type { PostgresDatabase } from './database.ts'
import { type OpenedPostgres, openPostgres, type PostgresOptions } from './open.ts'
import { defaultConnections } from './pool.ts'
import { PresentServer } from './present-server.ts'
import { leaseForEngine, newEngineId } from './replicas/engine-lease.ts'
import { type ReplicaOptions, ReplicaStores } from './replicas/replica-stores.ts'
import { settleSequences } from './sequences.ts'
import { countsAgree, settleCounts } from './settle-counts.ts'
import { SnapshotSandboxes } from './snapshot-sandboxes.ts'

type Options = PostgresOptions & { readonly clock: Clock }

/** @throws FatalError when the database cannot be used as it is; as `engine`, also while another engine uses it. */
export async function openPostgresMirror(options: Options): Promise<Mirror> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openPostgres(options))
  if (options.role === 'beside')
    return postgresMirror({
      database: opened.database.fencedBy(besideOwners, []),
      [Symbol.asyncDispose]: disposeOf(opening),
    })
  const lease = opening.use(await leaseForEngine(opened.database, options.clock, newEngineId(options.random)))
  const { database, insist } = lease
  // Check again: a copy may have begun while this engine waited for the lease.
  await insistOnNoCopy(database)
  const log = options.log ?? silentLog()
  await settleCounts(database, log)
  await settleSequences(database, log)
  return postgresMirror({ database, [Symbol.asyncDispose]: disposeOf(opening) }, { insist })
}

/** Always returns a row. Like an owner's fence, its lock prevents sealing while a tenant's row is not committed. */
const besideOwners = 'select count(*) from (select 1 from tenant_owners for key share) owners'

/** In milliseconds: a heartbeat that takes longer is too late. */
export const heartbeatLimits = { statementMs: 4 * secondMs, idleMs: 4 * secondMs, silenceMs: 5 * secondMs }

const heartbeatConnections = 2
const connectionsToShow = 4

/** Most connections of a replica. */
export const connectionsOfReplica = defaultConnections + connectionsToShow + heartbeatConnections

/**
 * Joins the replicas on the database. Its mirror only reads.
 *
 * @throws FatalError when the database cannot be used as it is.
 */
export async function openAsReplica(
  options: Options & { readonly log: Log },
): Promise<{ readonly mirror: Mirror; readonly stores: TenantStores }> {
  await using opening = new AsyncDisposableStack()
  const server = new PresentServer()
  const ofWork = { ...options, role: 'engine', toShow: connectionsToShow, server } as const
  const { database } = opening.use(await openPostgres(ofWork))
  const own = {
    role: 'beside',
    connections: heartbeatConnections,
    limits: heartbeatLimits,
    // Heartbeats take precedence: without them, this replica may own nothing.
    makeRoom: (signal: AbortSignal) => database.makeRoom(signal),
    // Silent: problems with the URL are logged for the other connections.
    log: silentLog(),
  } as const
  const { database: heartbeats } = opening.use(await openPostgres({ ...options, ...own }))
  return replicaOver({ ...options, database, heartbeats, server }, disposeOf(opening))
}

/** @param heartbeats database with `heartbeatLimits`. */
export function replicaOver(
  options: Omit<ReplicaOptions, 'id' | 'storeOver'>,
  dispose: () => Promise<void>,
): { readonly mirror: Mirror; readonly stores: ReplicaStores } {
  const { database, random, log } = options
  const sandboxes = new SnapshotSandboxes(options.clock)
  const storeOver = (fenced: PostgresDatabase) =>
    postgresMirror({ database: fenced, async [Symbol.asyncDispose]() {} }, { sandboxes })
  const stores = new ReplicaStores({ ...options, id: newEngineId(random), storeOver })
  const mirror = postgresMirror({
    database: database.fencedBy('select 1 where false', []),
    async [Symbol.asyncDispose]() {
      await sandboxes[Symbol.asyncDispose]()
      await dispose()
    },
  })
  let isVerified = false
  const verified: Pick<Mirror, 'isVerified' | 'verify'> = {
    isVerified: () => isVerified,
    async verify() {
      await settleSequences(database, log)
      if (await settleCounts(database, log)) stores.countsSettled()
      isVerified = true
    },
  }
  return { mirror: { ...mirror, ...verified }, stores }
}

/** Moves the resources out of the scope of the function that opens them. */
function disposeOf(opening: AsyncDisposableStack): () => Promise<void> {
  const opened = opening.move()
  return () => opened.disposeAsync()
}

interface Parts {
  readonly insist?: () => void
  /** Shared by the tenants of a process. */
  readonly sandboxes?: SnapshotSandboxes
}

export function postgresMirror({ database, ...opened }: OpenedPostgres, parts: Parts = {}): Mirror {
  const { insist = () => {}, sandboxes = new SnapshotSandboxes(database.clock) } = parts
  const { flush, ...stores } = storesOver(database)
  return {
    ...stores,
    ask: (tenantId, query, signal) => database.run(() => sandboxes.ask({ database, tenantId }, query, signal)),
    ping: () =>
      database.read(function* () {
        insist()
        yield* database.prepare('select 1').get()
      }),
    isVerified: () => true,
    verify: () => database.run(() => insistOnCounts(database)),
    async [Symbol.asyncDispose]() {
      await sandboxes.end(database)
      await flush()
      await opened[Symbol.asyncDispose]()
    },
  } satisfies Operations<Omit<Mirror, 'readTogether'>>
}

/** Verifies the counts only; `data_checksums` and `pg_amcheck` find damaged pages. */
async function insistOnCounts(database: PostgresDatabase): Promise<void> {
  if (await countsAgree(database)) return
  throw new FatalError(
    'The counts of the database of store.url do not agree with its records, as after a change or a restore without its triggers; "tenantwatch run", which counts them again, must run first',
  )
}
