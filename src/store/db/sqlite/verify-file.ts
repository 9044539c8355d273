import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import BetterSqlite3 from 'better-sqlite3'
import { endWithProcess } from '../../../model/process/end-with-process.ts'
import { sizeOf } from './database-file.ts'
import { codeOf, damaged, isDamage, openError } from './store-error.ts'

/** Reading this much takes some 20 ms, less than starting a process. */
const smallBytes = 2 * 2 ** 20

export function isQuicklyVerified(file: string): boolean {
  return sizeOf(file) <= smallBytes
}

/** @throws FatalError when the database is damaged; the signal's reason when aborted. */
export async function verifyFile(file: string, signal: AbortSignal): Promise<void> {
  const problem = await findDamage(file, signal).catch((error: unknown) => {
    throw openError(error, file)
  })
  if (problem !== null) throw damaged(file, problem)
}

/**
 * Reads the whole database for damage, about 10 ms per megabyte, in a process, because a thread could not be stopped.
 * Null = none.
 *
 * @throws the signal's reason when aborted.
 */
export async function findDamage(file: string, signal: AbortSignal): Promise<string | null> {
  signal.throwIfAborted()
  const found = isQuicklyVerified(file) ? null : await checkInProcess(file, signal)
  signal.throwIfAborted()
  if (found !== null) return problemIn(found)
  // A new connection reads the file; an existing one would use pages from its cache.
  const raw = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
  try {
    return damageIn(raw)
  } finally {
    raw.close()
  }
}

/** Blocks this process. SQLite reports some damage as a result and some as an error. */
export function damageIn(raw: BetterSqlite3.Database): string | null {
  try {
    raw.pragma('temp_store = MEMORY')
    return problemIn(String(raw.pragma(check, { simple: true })))
  } catch (error) {
    const code = codeOf(error)
    if (!isDamage(code)) throw error
    return code
  }
}

/** Not `quick_check`: it does not compare indexes with tables, and an index without a row hides a finding. */
const check = 'integrity_check(1)'

function problemIn(result: string): string | null {
  return result === 'ok' ? null : (result.split('\n').at(-1) ?? check)
}

/** The result of the check; null when the process failed, which proves nothing. */
async function checkInProcess(file: string, signal: AbortSignal): Promise<string | null> {
  const script = `
    const [driver, file] = process.argv.slice(1)
    const raw = new (require(driver))(file, { readonly: true, fileMustExist: true })
    raw.pragma('temp_store = MEMORY')
    // Halves the time; a file that is cut meanwhile ends this process only.
    raw.pragma('mmap_size = 1099511627776')
    process.stdout.write(raw.pragma('${check}', { simple: true }))`
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  try {
    // No environment variables, which may contain secrets.
    const options = { env: {}, signal, killSignal: 'SIGKILL' } as const
    const running = promisify(execFile)(process.execPath, ['-e', script, driver, file], options)
    endWithProcess(running.child)
    return (await running).stdout
  } catch {
    return null
  }
}
