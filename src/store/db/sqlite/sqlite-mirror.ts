import { Database } from '../../database.ts'
import type { AdminStore, Mirror } from '../../port.ts'
import { storesOver } from '../../stores.ts'
import { type OpenedFile, openBesideEngine, openForEngine } from './open.ts'
import { SqliteDb } from './sqlite-db.ts'
import { verifyFile } from './verify-file.ts'

/**
 * As `engine`, opens the file exclusively and migrates it.
 *
 * @throws FatalError when the file cannot be opened.
 */
export function openMirror(path: string, role: 'engine' | 'beside'): Mirror {
  return mirrorOver(role === 'engine' ? openForEngine(path) : openBesideEngine(path))
}

function mirrorOver(opened: OpenedFile): Mirror {
  const { writer, reader, check } = opened
  const db = new SqliteDb({ writer, reader, onError: (error) => check.note(error) })
  const stores = storesOver(new Database(db))
  return {
    ...stores,
    ...fileStore(db, opened),
    async [Symbol.asyncDispose]() {
      await db.idle()
      opened[Symbol.dispose]()
    },
  }
}

type Part = Pick<AdminStore, 'isVerified' | 'ping' | 'verify'>

function fileStore(db: SqliteDb, { file, check, ...opened }: OpenedFile): Part {
  let { verified } = opened
  return {
    async ping() {
      check.assertInPlace()
      // Reads the file, unlike a query without a table.
      await db.read((sql) => sql('pragma schema_version'))
    },
    isVerified: () => verified,
    async verify(signal = new AbortController().signal) {
      check.assertInPlace()
      await verifyFile(file, signal)
      verified = true
    },
  }
}
