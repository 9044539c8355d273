import type { Clock } from '../../model/clock.ts'
import type { Operations } from '../database.ts'
import { type OpenedFile, openBesideEngine, openForEngine } from '../db/sqlite/open.ts'
import { verifyFile } from '../db/sqlite/verify-file.ts'
import { ask } from '../own-checks/ask.ts'
import type { AdminStore, Mirror } from '../port.ts'
import { storesOver } from '../stores.ts'
import { busyTimeoutOf } from './connection.ts'
import { SqliteDatabase } from './database.ts'
import { TransactionLimiter } from './transaction-limiter.ts'
import { countRevisions, keepCounts, keepWaiverRecord } from './triggers.ts'

/**
 * As `engine`, opens the file exclusively and migrates it. With a clock, limits transactions per turn of the event
 * loop.
 *
 * @throws FatalError when the file cannot be opened.
 */
export function openMirror(path: string, role: 'engine' | 'beside', clock?: Pick<Clock, 'monotonic'>): Mirror {
  const opened = role === 'engine' ? openForEngine(path) : openBesideEngine(path)
  try {
    const { writer, check } = opened
    const database = new SqliteDatabase(writer, {
      ...(role === 'engine' && { busyTimeout: busyTimeoutOf(writer) }),
      onError: (error) => check.note(error),
      ...(clock && { limiter: new TransactionLimiter(clock) }),
    })
    return mirrorOver(database, opened)
  } catch (error) {
    opened[Symbol.dispose]()
    throw error
  }
}

function mirrorOver(database: SqliteDatabase, opened: OpenedFile): Mirror {
  const { file, writer, check } = opened
  keepCounts(writer)
  countRevisions(writer)
  keepWaiverRecord(writer)
  const { flush, ...stores } = storesOver(database)
  return {
    ...stores,
    ask: (tenantId, query, signal) => database.run(() => ask(query, { file, tenantId }, signal)),
    ...fileStore(database, opened),
    async [Symbol.asyncDispose]() {
      if (!check.isMoved) await flush()
      opened[Symbol.dispose]()
    },
  } satisfies Operations<Omit<Mirror, 'readTogether'>>
}

type Part = Operations<Pick<AdminStore, 'isVerified' | 'ping' | 'verify'>>

function fileStore(database: SqliteDatabase, { file, reader, check, ...opened }: OpenedFile): Part {
  let { verified } = opened
  return {
    ping: () =>
      database.run(() => {
        reader.prepare('select 1').get()
        check.assertInPlace()
      }),
    isVerified: () => verified,
    verify: (signal = new AbortController().signal) =>
      database.run(async () => {
        check.assertInPlace()
        await verifyFile(file, signal)
        verified = true
      }),
  }
}
