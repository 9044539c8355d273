import { createPlain } from '../api/credentials/create-source.ts'
import type { Settings } from '../config/settings.ts'
import type { Mirror } from '../mirror/port.ts'
import { openPostgresMirror } from '../mirror/postgres/postgres-mirror.ts'
import { openMirror } from '../mirror/sqlite/sqlite-mirror.ts'
import { minuteMs } from '../model/durations.ts'
import { FatalError, SyncError } from '../model/errors.ts'
import { type Log, silentLog } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'

/**
 * The mirror of `store.path` or `store.url`. As `engine`, it is opened alone and its layout brought up to date.
 *
 * @throws FatalError when it cannot be opened.
 */
export async function openStore(
  { store }: Pick<Settings, 'store'>,
  role: 'engine' | 'beside',
  { clock, random, env }: Io,
  log: Log = silentLog(),
): Promise<Mirror> {
  if (store.url === null) return openMirror(store.path, role, role === 'engine' ? clock : undefined)
  return openPostgresMirror({ url: urlOf(store.url, { clock, env }, log), role, clock, random })
}

/** Reads the URL of a database each time it is asked for, so that the password may change. */
export function urlOf(
  url: NonNullable<Settings['store']['url']>,
  { clock, env }: Pick<Io, 'clock' | 'env'>,
  log: Log = silentLog(),
): () => Promise<string> {
  const source = createPlain(url, { clock, log, env: (name) => env[name], cycleMs: minuteMs })
  return async () => {
    try {
      return (await source.current()).expose()
    } catch (error) {
      throw error instanceof SyncError ? new FatalError(`store.url: ${error.message}`) : error
    }
  }
}
