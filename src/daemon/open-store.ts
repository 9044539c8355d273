import { createPlain } from '../api/credentials/sources.ts'
import type { Settings } from '../config/settings.ts'
import { FatalError, SyncError, UsageError } from '../model/errors.ts'
import { type Log, silentLog } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import { secondMs } from '../model/time.ts'
import type { OpenOptions } from '../store/db/postgres/open.ts'
import { openAsReplica, openPostgresMirror } from '../store/db/postgres/postgres-mirror.ts'
import { openMirror } from '../store/db/sqlite/sqlite-mirror.ts'
import type { Mirror } from '../store/port.ts'
import { onlyStore, type TenantStores } from '../store/tenant-stores.ts'

type Configured = Pick<Settings, 'store'>

export interface OpenedStores {
  readonly mirror: Mirror
  readonly stores: TenantStores
}

/**
 * The mirror of `store.path` or `store.url`. As `engine`, it is opened exclusively and migrated.
 *
 * @throws FatalError when it cannot be opened.
 */
export async function openStore(
  { store }: Configured,
  role: 'engine' | 'beside',
  io: Io,
  log: Log = silentLog(),
): Promise<Mirror> {
  const { clock, random } = io
  if (store.url === null) return openMirror(store.path, role)
  return openPostgresMirror({ url: urlOf(store.url, io, log), role, clock, random, log })
}

/**
 * The stores that an engine writes through, as one of the replicas on `store.url` or alone.
 *
 * @throws FatalError when it cannot be opened.
 */
export async function openStores(
  { store }: Configured,
  as: 'replica' | 'alone',
  { io, log }: { readonly io: Io; readonly log: Log },
): Promise<OpenedStores> {
  const { clock, random } = io
  if (store.url === null) {
    const mirror = await openStore({ store }, 'engine', io)
    return { mirror, stores: onlyStore(mirror) }
  }
  const url = urlOf(store.url, io, log)
  return openAsReplica({ url, role: 'engine', clock, random, log, alone: as === 'alone' })
}

/** Least time between two runs of a command, in milliseconds: a new connection after it has the new password. */
const commandMs = 10 * secondMs

/** Reads the URL of a database at each call, so that the password may change. */
export function urlOf(
  source: NonNullable<Settings['store']['url']>,
  { clock, env }: Pick<Io, 'clock' | 'env'>,
  log: Log = silentLog(),
): OpenOptions['url'] {
  const plain = createPlain(source, { clock, log, env: (name) => env[name], cycleMs: commandMs })
  return async () => {
    try {
      return (await plain.current()).expose()
    } catch (error) {
      if (!(error instanceof SyncError)) throw error
      // A variable cannot appear later, so this is a mistake of the configuration.
      const Failure = 'env' in source ? UsageError : FatalError
      throw new Failure(`store.url: ${error.message}`)
    }
  }
}
