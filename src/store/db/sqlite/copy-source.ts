import { existsSync, rmSync } from 'node:fs'
import type BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../../model/errors.ts'
import type { CopiedTable, CopySource, Row } from '../../copy.ts'
import { takeEngineLock } from './engine-lock.ts'
import { openError } from './file-errors.ts'
import { assertCurrentLayout } from './layout.ts'
import { openSnapshot, real } from './open.ts'
import { verifyFile } from './verify-file.ts'

export interface FileSource extends CopySource, Disposable {
  readonly file: string
}

/**
 * Opens a file as source of a copy: verifies it in full, and takes the engine's lock, so that no engine writes. Does
 * not change the mirror.
 *
 * @throws FatalError when it is missing, damaged, of another layout or in use; the signal's reason when aborted.
 */
export async function openFileSource(path: string, signal: AbortSignal): Promise<FileSource> {
  const file = real(path)
  // First, so that no lock is left beside a file that is not a mirror of this version.
  openCurrent(file).close()
  using opening = new DisposableStack()
  opening.use(lockAlone(file))
  await verifyFile(file, signal)
  const raw = openCurrent(file)
  opening.defer(() => void raw.close())
  const version = () => raw.pragma('data_version', { simple: true })
  const seen = version()
  const opened = opening.move()
  return {
    file,
    rows: (table) => rowsOf(raw, table),
    insistOnUnchanged() {
      if (raw.inTransaction) raw.exec('commit')
      if (version() === seen) return
      throw new FatalError(
        `${file} was changed while it was copied, as by "tenantwatch accept"; run "tenantwatch migrate-store" again`,
      )
    },
    [Symbol.dispose]: () => opened.dispose(),
  }
}

function openCurrent(file: string): BetterSqlite3.Database {
  const raw = openSnapshot(file, '--from')
  try {
    assertCurrentLayout(raw, file)
    return raw
  } catch (error) {
    raw.close()
    throw error
  }
}

function lockAlone(file: string): Disposable {
  const path = `${file}-lock`
  const isNew = !existsSync(path)
  const umask = process.umask(0o077)
  try {
    const lock = takeEngineLock(file)
    return {
      [Symbol.dispose]() {
        // A backup with a lock beside it would look like a database in use.
        if (isNew) rmSync(path, { force: true })
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    throw openError(error, file)
  } finally {
    process.umask(umask)
  }
}

function* rowsOf(raw: BetterSqlite3.Database, { name, columns, key }: CopiedTable): Iterable<Row> {
  const list = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ')
  const select = raw.prepare<[], unknown[]>(`select ${list(columns)} from "${name}" order by ${list(key)}`).raw()
  yield* select.iterate()
}
