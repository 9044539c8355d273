import { existsSync, rmSync } from 'node:fs'
import type BetterSqlite3 from 'better-sqlite3'
import { type CopiedTable, quoted, type Row } from '../../copy.ts'
import { takeEngineLock } from './engine-lock.ts'
import { openBesideEngine } from './open.ts'
import { openError } from './store-error.ts'
import { verifyFile } from './verify-file.ts'

/**
 * Opens a file as source of a copy: nothing else can write to it, neither an engine nor a command. Verifies it in full.
 *
 * @throws FatalError when it is missing, damaged, of another layout or in use; the signal's reason when aborted.
 */
export async function openFileSource(path: string, signal: AbortSignal) {
  using opening = new DisposableStack()
  const { file, writer } = opening.use(openBesideEngine(path))
  opening.use(lockAlone(file))
  try {
    writer.exec('begin immediate')
  } catch (error) {
    throw openError(error, file)
  }
  await verifyFile(file, signal)
  const opened = opening.move()
  return { file, rows: (table: CopiedTable) => rowsOf(writer, table), [Symbol.dispose]: () => opened.dispose() }
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
