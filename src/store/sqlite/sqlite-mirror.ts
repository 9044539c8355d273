import { Database } from '../database.ts'
import { SqliteDb } from '../db/sqlite/sqlite-db.ts'
import { ask } from '../own-checks/ask.ts'
import type { AdminStore, Mirror } from '../port.ts'
import { storesOver } from '../stores.ts'
import { type OpenedDatabase, openBesideEngine, openForEngine } from './open-database.ts'
import { keepCounts, keepWaiverRecord } from './triggers.ts'
import { leaveCheckpoints, verifyFile } from './verify-file.ts'

/**
 * As `engine`, opens the file exclusively and migrates it.
 *
 * @throws FatalError when the file cannot be opened.
 */
export function openMirror(path: string, role: 'engine' | 'beside'): Mirror {
  return mirrorOver(role === 'engine' ? openForEngine(path) : openBesideEngine(path))
}

function mirrorOver(opened: OpenedDatabase): Mirror {
  const { connections, guard } = opened
  const { writer } = connections
  keepCounts(writer)
  keepWaiverRecord(writer)
  const db = new SqliteDb(connections)
  const { flush, ...stores } = storesOver(new Database(db))
  return {
    ...stores,
    ask: (tenantId, query, signal) => ask(query, { file: writer.name, tenantId }, signal),
    ...fileStore(opened),
    async [Symbol.asyncDispose]() {
      if (!guard.moved) await flush()
      await db.idle()
      opened[Symbol.dispose]()
    },
  }
}

type Part = Pick<AdminStore, 'isVerified' | 'ping' | 'verify'>

function fileStore({ connections: { writer }, guard, ...opened }: OpenedDatabase): Part {
  let { verified } = opened
  return {
    async ping() {
      writer.prepare('select 1').get()
      guard.insist()
    },
    isVerified: () => verified,
    async verify(signal = new AbortController().signal) {
      guard.insist()
      await leaveCheckpoints(writer, () => verifyFile(writer.name, signal))
      verified = true
    },
  }
}
