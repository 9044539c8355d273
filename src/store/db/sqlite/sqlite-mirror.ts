import type { Mirror } from '../../port.ts'
import { storesOver } from '../../stores.ts'
import { openBesideEngine, openForEngine } from './open.ts'
import { SqliteDb } from './sqlite-db.ts'
import { verifyFile } from './verify-file.ts'

/**
 * As `engine`, opens the file exclusively and migrates it.
 *
 * @throws FatalError when the file cannot be opened.
 */
export function openMirror(path: string, role: 'engine' | 'beside'): Mirror {
  const opened = role === 'engine' ? openForEngine(path) : openBesideEngine(path)
  const db = new SqliteDb(opened)
  let { isVerified } = opened
  return {
    ...storesOver(db),
    async ping() {
      db.assertUsable()
      // Reads the file, unlike a query without a table.
      await db.read((sql) => sql('pragma schema_version'))
    },
    isVerified: () => isVerified,
    async verify(signal = new AbortController().signal) {
      db.assertUsable()
      await verifyFile(opened.file, signal)
      isVerified = true
    },
    [Symbol.asyncDispose]: () => db.close(),
  }
}
