import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import BetterSqlite3 from 'better-sqlite3'
import { endWithProcess } from '../../../model/process/end-with-process.ts'
import { damaged, damageOf } from './file-errors.ts'

/** Reading this much takes some 20 ms, less than starting a process. */
const smallBytes = 2 * 2 ** 20

export function isQuicklyVerified(file: string): boolean {
  return statSync(file).size <= smallBytes
}

/**
 * Checks the whole database for damage, about 10 ms per megabyte, in a process, because a thread could not be stopped.
 *
 * @throws FatalError when it is damaged; the signal's reason when aborted.
 */
export async function verifyFile(file: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const found = isQuicklyVerified(file) ? null : await checkInProcess(file, signal)
  signal.throwIfAborted()
  if (found === 'ok') return
  if (found !== null) throw damaged(file, found)
  // A new connection reads the file; an existing one would use pages from its cache.
  const raw = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
  try {
    assertSound(raw, file)
  } finally {
    raw.close()
  }
}

/** Blocks this process. @throws FatalError when the database is damaged. */
export function assertSound(raw: BetterSqlite3.Database, file: string): void {
  const problem = problemOf(raw)
  if (problem !== null) throw damaged(file, problem)
}

/** SQLite reports some damage as a result and some as an error. */
export function problemOf(raw: BetterSqlite3.Database): string | null {
  try {
    raw.pragma('temp_store = MEMORY')
    const found = resultOf(raw.pragma(check, { simple: true }))
    return found === 'ok' ? null : found
  } catch (error) {
    const damage = damageOf(error)
    if (damage === null) throw error
    return damage
  }
}

/** Not `quick_check`: it does not compare indexes with tables, and an index without a row hides a finding. */
const check = 'integrity_check(1)'

const resultOf = (found: unknown) => String(found).split('\n').at(-1) ?? check

/** The result of the check; null when the process failed, which proves nothing. */
async function checkInProcess(file: string, signal: AbortSignal): Promise<string | null> {
  const script = `
    const [driver, file] = process.argv.slice(1)
    const raw = new (require(driver))(file, { readonly: true, fileMustExist: true })
    raw.pragma('temp_store = MEMORY')
    process.stdout.write(raw.pragma('${check}', { simple: true }))`
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  try {
    const child = spawn(process.execPath, ['-e', script, driver, file], {
      // No environment variables, which may contain secrets.
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
    })
    endWithProcess(child)
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    const [found] = await Promise.all([text(child.stdout), once(child, 'close')])
    return found === '' ? null : resultOf(found)
  } catch {
    return null
  }
}
