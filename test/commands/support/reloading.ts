import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { catalogue } from '../../../src/commands/support/configuration.ts'
import { createLog } from '../../../src/commands/support/logger.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Io } from '../../../src/model/process/io.ts'
import { systemClock } from '../../../src/model/process/system-clock.ts'
import { startSimulator } from '../../../src/simulator/index.ts'
import { testPostgres } from '../../support/postgres.ts'
import { scheduleOfAll } from '../../support/schedule.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { onPostgres } from '../../support/test-database.ts'

/** Once a year: whatever runs in the meantime was brought about by a start or a reload. */
const never = '0 0 1 1 *'
const neverAtAll = scheduleOfAll(never)

export const users = 20

export interface ConfigParts {
  /** Tenants by name, each with its further keys; the token of each is the variable of its name. */
  readonly tenants?: Readonly<Record<string, string>>
  readonly listen?: string
  readonly store?: string
  /** Further keys of `server`. */
  readonly server?: string
  /** The entries of `schedule` that still fire. */
  readonly schedule?: Readonly<Record<string, unknown>>
  /** Further sections. */
  readonly more?: string
}

/** A daemon in this process, over two simulated tenants, whose configuration can be rewritten and loaded again. */
export async function reloadable(first: ConfigParts = {}, files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  const simulator = await startSimulator({ controlPort: null, sizes: { users }, secondSizes: { users } })
  onTestFinished(() => simulator.close())
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  const configure = (parts: ConfigParts) => write('tenantwatch.yaml', configOf(simulator.baseUrl, folder, parts))
  for (const [file, text] of Object.entries(files)) write(file, text)
  configure(first)

  let logged = ''
  const stderr = {
    write(text: string) {
      logged += text
      return true
    },
  }
  const env: Record<string, string> = { ACME: simulator.tokens.reader, ZETA: simulator.tokens.secondReader }
  if (onPostgres) {
    const database = testPostgres('empty')
    onTestFinished(() => database.drop())
    env['TENANTWATCH_STORE_URL'] = database.url ?? ''
  }
  const stop = new AbortController().signal
  const clock = systemClock()
  const io: Io = { stdout: stderr, stderr, env, cwd: folder, clock, random: () => 0, stop, onReload: () => {} }
  const load = () => loadSettings({ file: 'tenantwatch.yaml', env, cwd: folder, catalogue, purpose: 'serve' }).settings
  const settings = load()
  const log = await createLog(io, settings.logLevel)
  const daemon = await startDaemon(settings, io, log, { load, setLogLevel: log.setLevel })
  onTestFinished(() => daemon[Symbol.asyncDispose]())
  await daemon.caughtUp
  await daemon.session.evaluate()
  const origin = `http://127.0.0.1:${daemon.address.port}`
  const get = async (path: string, init: RequestInit = {}) => (await fetch(origin + path, init)).text()
  return {
    folder,
    env,
    simulator,
    daemon,
    session: daemon.session,
    origin,
    write,
    configure,
    get,
    /** The value of one series; undefined where there is none. */
    async metric(series: string): Promise<number | undefined> {
      const line = (await get('/metrics')).split('\n').find((one) => one.startsWith(`${series} `))
      return line === undefined ? undefined : Number(line.slice(series.length))
    },
    /** Every series of the daemon's own that counts or states something of a tenant. */
    async series(tenant: string): Promise<readonly string[]> {
      return (await get('/metrics')).split('\n').filter((line) => line.includes(`tenant="${tenant}"`))
    },
    /** The lines of the log with this message. */
    logged: (message: string): Record<string, unknown>[] =>
      logged
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === message),
    wholeLog: () => logged,
    /** Waits until all users of a tenant are in the mirror. */
    mirrored: (tenant: string) =>
      vi.waitFor(
        async () => {
          const wanted = `tenantwatch_mirror_records{tenant="${tenant}",resource="users"} ${users}\n`
          if (!(await get('/metrics')).includes(wanted)) throw new Error(`${tenant} is not mirrored`)
        },
        { timeout: 60_000 },
      ),
  }
}

function configOf(baseUrl: string, folder: string, parts: ConfigParts): string {
  const { tenants = { acme: '' }, listen = '127.0.0.1:0', store = join(folder, 'mirror.db') } = parts
  const entries = Object.entries(tenants).map(
    ([name, own]) =>
      `  - { name: ${name}, baseUrl: "${baseUrl}", auth: { token: { env: ${name.toUpperCase()} } }${own && `, ${own}`} }`,
  )
  return `tenants:
${entries.join('\n')}
api: { pageSizeParameter: limit, requestsPerSecond: 0 }
store: { path: ${JSON.stringify(store)} }
server: { listen: "${listen}", ${parts.server ?? ''} }
schedule: ${JSON.stringify({ ...neverAtAll, ...parts.schedule })}
${parts.more ?? ''}
`
}
