import type { Clock } from '../../model/clock.ts'
import type { Operations } from '../database.ts'
import { ask } from '../own-checks/ask.ts'
import type { AdminStore, Mirror } from '../port.ts'
import { storesOver } from '../stores.ts'
import { damaged } from './file-guard.ts'
import { type OpenedDatabase, openBesideEngine, openForEngine } from './open-database.ts'
import { TransactionLimiter } from './transaction-limiter.ts'
import { countRevisions, keepCounts, keepWaiverRecord } from './triggers.ts'
import { leaveCheckpoints, verifyFile } from './verify-file.ts'

/**
 * As `engine`, opens the file exclusively and migrates it. With a clock, limits transactions per turn of the event
 * loop.
 *
 * @throws FatalError when the file cannot be opened.
 */
export function openMirror(path: string, role: 'engine' | 'beside', clock?: Pick<Clock, 'monotonic'>): Mirror {
  const opened =
    role === 'engine' ? openForEngine(path, clock && new TransactionLimiter(clock)) : openBesideEngine(path)
  try {
    return mirrorOver(opened)
  } catch (error) {
    opened[Symbol.dispose]()
    if (!(error instanceof Error) || error.name !== 'SqliteError') throw error
    // The layout is current but the statements do not fit it: a name in the schema is damaged.
    throw damaged(opened.database.raw.name, error.message)
  }
}

function mirrorOver(opened: OpenedDatabase): Mirror {
  const { database, guard } = opened
  keepCounts(database.raw)
  countRevisions(database.raw)
  keepWaiverRecord(database.raw)
  const { flush, ...stores } = storesOver(database)
  return {
    ...stores,
    ask: (tenantId, query, signal) => database.run(() => ask(query, { file: database.raw.name, tenantId }, signal)),
    ...fileStore(opened),
    async [Symbol.asyncDispose]() {
      if (!guard.moved) await flush()
      opened[Symbol.dispose]()
    },
  } satisfies Operations<Omit<Mirror, 'readTogether'>>
}

type Part = Operations<Pick<AdminStore, 'isVerified' | 'ping' | 'verify'>>

function fileStore({ database, guard, ...opened }: OpenedDatabase): Part {
  const { raw } = database
  let { verified } = opened
  return {
    ping: () =>
      database.run(() => {
        raw.prepare('select 1').get()
        guard.insist()
      }),
    isVerified: () => verified,
    verify: (signal = new AbortController().signal) =>
      database.run(async () => {
        guard.insist()
        await leaveCheckpoints(raw, () => verifyFile(raw.name, signal))
        verified = true
      }),
  }
}
