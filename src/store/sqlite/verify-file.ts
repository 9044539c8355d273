import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import BetterSqlite3 from 'better-sqlite3'
import { endWithProcess } from '../../model/process/end-with-process.ts'
import { sqliteDialect } from '../db/sqlite/dialect.ts'
import { countDifferences } from '../records/record-counts.ts'
import { damaged, damageOf } from './file-guard.ts'

const logPages = 1000

/** Suspends automatic checkpoints during `work`, whose process runs one at its end. */
export async function leaveCheckpoints<T>(raw: BetterSqlite3.Database, work: () => Promise<T>): Promise<T> {
  raw.pragma('wal_autocheckpoint = 0')
  try {
    return await work()
  } finally {
    if (raw.open) raw.pragma(`wal_autocheckpoint = ${logPages}`)
  }
}

/** Reading this much takes some 20 ms, less than starting a process. */
const smallBytes = 2 * 2 ** 20

export function isQuicklyVerified(file: string): boolean {
  return statSync(file).size <= smallBytes
}

/**
 * Checks the whole database for damage, about 10 ms per megabyte, in a process, because a thread could not be stopped.
 * A lost index row could make a finding look resolved.
 *
 * @throws FatalError when it is damaged; the signal's reason when aborted.
 */
export async function verifyFile(file: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const problem = isQuicklyVerified(file) ? undefined : await askProcess(file, signal)
  signal.throwIfAborted()
  // A failed process proves nothing, so this process reads the file.
  if (problem === undefined) readHere(file)
  else if (problem !== null) throw damaged(file, problem)
}

function readHere(file: string): void {
  // A new connection reads the file; the existing one would use pages from its cache.
  const raw = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
  try {
    insistOnHealth(raw, file, countDifferences(sqliteDialect))
  } finally {
    raw.close()
  }
}

/** Blocks this process. `differences` are queries without a result if the stored counts equal the records. */
export function insistOnHealth(raw: BetterSqlite3.Database, file: string, differences: readonly string[]): void {
  const problem = problemOf(raw, differences)
  if (problem !== null) throw damaged(file, problem)
}

/** SQLite reports some damage as a result and some as an error. */
function problemOf(raw: BetterSqlite3.Database, differences: readonly string[]): string | null {
  try {
    return findProblem(raw, differences)
  } catch (error) {
    const damage = damageOf(error)
    if (damage === null) throw error
    return damage
  }
}

/** Another process also runs this function from its source, so it uses only its arguments. */
function findProblem(raw: BetterSqlite3.Database, differences: readonly string[]): string | null {
  raw.pragma('temp_store = MEMORY')
  const found = raw.pragma('integrity_check(1)', { simple: true })
  if (found !== 'ok') return String(found).split('\n').at(-1) ?? 'integrity_check'
  const differs = differences.some((text) => raw.prepare(text).get() !== undefined)
  return differs ? 'its counts do not agree with its records' : null
}

/** The read blocked checkpoints: the next commit would write hundreds of MiB. This connection has the right file. */
const emptyLog = "raw.pragma('wal_checkpoint(PASSIVE)')"

async function askProcess(file: string, signal: AbortSignal): Promise<string | null | undefined> {
  const script = `
    const [driver, file, ...differences] = process.argv.slice(1)
    const raw = new (require(driver))(file, { fileMustExist: true })
    raw.pragma('query_only = ON')
    const problem = (${findProblem})(raw, differences)
    if (problem === null) ${emptyLog}
    process.stdout.write(JSON.stringify([problem]))`
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  try {
    const child = spawn(process.execPath, ['-e', script, driver, file, ...countDifferences(sqliteDialect)], {
      // The process needs no environment variables, which may contain secrets.
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
    })
    endWithProcess(child)
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await once(child, 'close')
    const [problem] = JSON.parse(said) as readonly [string | null]
    return problem
  } catch {
    return undefined
  }
}
