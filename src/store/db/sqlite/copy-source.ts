import { existsSync, rmSync } from 'node:fs'
import type BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../../model/errors.ts'
import { type CopiedTable, type CopySource, quoted, type Row } from '../../copy.ts'
import { takeEngineLock } from './engine-lock.ts'
import { assertCurrentLayout } from './layout.ts'
import { openSnapshot } from './open.ts'
import { openError } from './store-error.ts'
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
  using opening = new DisposableStack()
  const { file, raw, age } = opening.use(openSnapshot(path))
  assertCurrentLayout(age, file)
  const seen = versionOf(raw)
  opening.use(lockAlone(file))
  await verifyFile(file, signal)
  const opened = opening.move()
  return {
    file,
    rows: (table) => rowsOf(raw, table),
    assertUnchanged() {
      if (raw.inTransaction) raw.exec('commit')
      if (versionOf(raw) === seen) return
      throw new FatalError(
        `${file} was changed while it was copied, as by "tenantwatch accept"; run "tenantwatch migrate-store" again`,
      )
    },
    [Symbol.dispose]: () => opened.dispose(),
  }
}

function versionOf(raw: BetterSqlite3.Database): unknown {
  return raw.pragma('data_version', { simple: true })
}

/** The engine's lock, whose file is removed if there was none: a backup with it would look like a database in use. */
function lockAlone(file: string): Disposable {
  const path = `${file}-lock`
  const isNew = !existsSync(path)
  try {
    const lock = takeEngineLock(file)
    return {
      [Symbol.dispose]() {
        if (isNew) rmSync(path, { force: true })
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    throw openError(error, file)
  }
}

function* rowsOf(raw: BetterSqlite3.Database, { name, columns, key }: CopiedTable): Iterable<Row> {
  const select = raw.prepare<[], unknown[]>(`select ${quoted(columns)} from "${name}" order by ${quoted(key)}`).raw()
  yield* select.iterate()
}
