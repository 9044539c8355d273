import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { startSimulator } from '../../../../src/simulator/index.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { placeFor } from '../../support/program.ts'
import { type CliResult, inside } from './inside.ts'
import { look } from './look.ts'

const name = 'backup.db'

/** A mirror with its backup of the day before, on copies of which backups are made under trouble. */
export interface BackupScene {
  readonly folder: string
  /** Gives the work a copy whose mirror is open, with its last changes in the log alone, and takes it away. */
  withCopy<T>(work: (copy: BackupCopy) => Promise<T>): Promise<T>
}

export interface BackupCopy {
  readonly target: string
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  /** The present state of the target, and every damage to the mirror or the backup. */
  state(): { readonly holds: 'old' | 'new' | 'neither'; readonly problems: readonly string[] }
  /** The other files in the folder of the target. */
  remains(): readonly string[]
  /** Makes `remains` two days old. */
  age(): void
  /** A backup that nothing disturbs. */
  again(): Promise<CliResult>
}

export async function backupScene(): Promise<BackupScene> {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 40 } })
  onTestFinished(() => simulator.close())
  const folder = temporaryFolder()
  const base = join(folder, 'base')
  mkdirSync(join(base, 'backups'), { recursive: true })
  const place = placeFor(simulator, folder)
  const envOf = (own: string) => ({ ...place.env, TENANTWATCH_STORE_PATH: join(own, 'mirror.db') })
  const argsOf = (own: string) => ['backup', join(own, 'backups', name)]
  for (const args of [['sync'], argsOf(base)]) {
    const { code, stdout, stderr } = await inside(envOf(base), folder, ...args)
    if (code !== 0) throw new Error(`the scene could not be set: ${stdout}${stderr}`)
  }
  const old = readFileSync(join(base, 'backups', name))

  async function withCopy<T>(work: (copy: BackupCopy) => Promise<T>): Promise<T> {
    const own = mkdtempSync(join(folder, 'copy-'))
    cpSync(base, own, { recursive: true })
    const store = join(own, 'mirror.db')
    const live = new BetterSqlite3(store)
    try {
      live.exec("update records set body = json_set(body, '$.lastName', 'In the log') where resource = 'users'")
      return await work(copyOf(own, store))
    } finally {
      live.close()
      rmSync(own, { recursive: true, force: true })
    }
  }

  function copyOf(own: string, store: string): BackupCopy {
    const target = join(own, 'backups', name)
    const bytes = () => ['', '-wal'].map((suffix) => readFileSync(store + suffix).toString('base64')).join()
    const remains = () => readdirSync(join(own, 'backups')).filter((entry) => entry !== name)
    const [before, truth] = [bytes(), JSON.stringify(look(store))]
    return {
      target,
      env: envOf(own),
      args: argsOf(own),
      state() {
        const problems = bytes() === before ? [] : ['the mirror was touched']
        const now = readFileSync(target)
        if (now.equals(old)) return { holds: 'old', problems }
        // SQLite file format, section 1.3: 1 at 18 and 19 where no log belongs to the file.
        const alone = now.readUInt16BE(18) === 0x0101
        if (alone && JSON.stringify(look(target)) === truth) return { holds: 'new', problems }
        return { holds: 'neither', problems: [...problems, 'the target is neither the old backup nor the new one'] }
      },
      remains,
      age() {
        const then = Date.now() / 1000 - 2 * 86_400
        for (const entry of remains()) utimesSync(join(own, 'backups', entry), then, then)
      },
      again: () => inside(envOf(own), folder, ...argsOf(own)),
    }
  }

  return { folder, withCopy }
}
