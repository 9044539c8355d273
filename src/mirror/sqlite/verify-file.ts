import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import BetterSqlite3 from 'better-sqlite3'
import { endWithProcess } from '../../model/process/end-with-process.ts'
import { countDifferences } from '../records/record-counts.ts'
import { damaged, damageOf } from './file-guard.ts'

/** Up to this size the reading takes some 20 ms: less than to start a process for it. */
const smallBytes = 2 * 2 ** 20

/** True when a database is read for damage so quickly that an open may wait for it. */
export function isQuicklyVerified(file: string): boolean {
  return statSync(file).size <= smallBytes
}

/**
 * Reads all of a database for damage, about 10 ms a megabyte: its structure, that the indexes hold what the tables do (one
 * that lost a row would let a finding look fixed), and that the kept counts agree with the records. A process of its own
 * does it, which can be ended at any time: no thread could be, and nothing waits for it meanwhile. That process then puts
 * into the file what was written in the meantime, see `leaveCheckpoints`.
 *
 * @throws FatalError when it is damaged; the signal's reason when aborted.
 */
export async function verifyFile(file: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const problem = isQuicklyVerified(file) ? undefined : await askProcess(file, signal)
  signal.throwIfAborted()
  // What could not be asked is no reason to go on in good faith.
  if (problem === undefined) readHere(file)
  else if (problem !== null) throw damaged(file, problem)
}

function readHere(file: string): void {
  // Another connection reads the file, where the one at work would be content with the pages it keeps in memory.
  const raw = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
  try {
    insistOnHealth(raw, file, countDifferences())
  } finally {
    raw.close()
  }
}

/**
 * The same in this process, which stands still meanwhile.
 *
 * @param differences statements that find nothing while the kept counts agree with the records.
 * @throws FatalError when it is damaged.
 */
export function insistOnHealth(raw: BetterSqlite3.Database, file: string, differences: readonly string[]): void {
  const problem = problemOf(raw, differences)
  if (problem !== null) throw damaged(file, problem)
}

/** Some damage is an answer, some an error. */
function problemOf(raw: BetterSqlite3.Database, differences: readonly string[]): string | null {
  try {
    return findProblem(raw, differences)
  } catch (error) {
    const damage = damageOf(error)
    if (damage === null) throw error
    return damage
  }
}

/** Also read as text by another process: it can use nothing but what it is given. */
function findProblem(raw: BetterSqlite3.Database, differences: readonly string[]): string | null {
  raw.pragma('temp_store = MEMORY')
  const found = raw.pragma('integrity_check(1)', { simple: true })
  if (found !== 'ok') return String(found).split('\n').at(-1) ?? 'integrity_check'
  const differs = differences.some((text) => raw.prepare(text).get() !== undefined)
  return differs ? 'its counts do not agree with its records' : null
}

/**
 * While it reads, nothing of the write-ahead log can be put into the file. The next commit would do so with all that
 * was written meanwhile, at once: at a first full sync hundreds of MiB. The connection is that of the reading, so that a file
 * that was put into the place of this one is not written to.
 */
const emptyLog = "raw.pragma('wal_checkpoint(PASSIVE)')"

/** What is wrong, null when nothing is, undefined when it could not be found out. */
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
    const child = spawn(process.execPath, ['-e', script, driver, file, ...countDifferences()], {
      // Nothing of what this process was told is for others.
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
