import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Io } from '../../../src/model/process/io.ts'
import { hourMs } from '../../../src/model/time.ts'
import { type Simulator, type SimulatorOptions, startSimulator, type TokenName } from '../../../src/simulator/index.ts'
import { filesIn } from '../../secrets/support/files.ts'
import { fakeIo, type Ran } from '../../support/fake-io.ts'
import { type Finished, temporaryFolder } from '../../support/temporary.ts'

export { type Ran, startTime } from '../../support/fake-io.ts'

export interface TenantInFile {
  readonly name: string
  readonly token?: TokenName
  /** Further keys of the tenant, as YAML flow. */
  readonly more?: string
}

export interface CliOptions {
  /** Null starts no simulator: for commands that ask no tenant. */
  readonly simulator?: SimulatorOptions | null
  readonly tenants?: readonly TenantInFile[]
  /** Further sections of the file. */
  readonly more?: string
  /** `afterAll` for a world that the tests of a file share, made while the file is read. */
  readonly finished?: Finished
}

/** A simulated tenant, a configuration for it in a folder of the test's own, and the program to run there. */
export interface Cli {
  readonly simulator: Simulator
  readonly folder: string
  readonly store: string
  /** Variables the program sees; may be changed. */
  readonly env: Record<string, string | undefined>
  now(): number
  /** Lets time pass, for the program and for the tenant. */
  pass(ms: number): void
  write(file: string, text: string): void
  read(file: string): string
  run(...args: readonly string[]): Promise<Ran>
  /** Runs with another world, e.g. another stop signal. */
  runWith(io: Partial<Io>, ...args: readonly string[]): Promise<Ran>
  /** Every file of the folder, as text; nobody must find a secret in there. */
  files(): string
}

export async function cli(options: CliOptions = {}): Promise<Cli> {
  const { finished = onTestFinished } = options
  const folder = temporaryFolder(finished)
  const env: Record<string, string | undefined> = {}
  const { now, pass, runWith } = fakeIo({ env, folder })
  const simulator = await startSimulator({ clock: now, controlPort: null, ...options.simulator })
  finished(() => simulator.close())
  const tenants = options.tenants ?? [{ name: 'acme' }]
  for (const { name, token = 'reader' } of tenants) env[variableOf(name)] = simulator.tokens[token]
  const store = join(folder, 'data', 'mirror.db')
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  write('tenantwatch.yaml', configOf(simulator, tenants, store, options.more ?? ''))
  env['TENANTWATCH_CONFIG'] = 'tenantwatch.yaml'

  return {
    simulator,
    folder,
    store,
    env,
    now,
    pass,
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write,
    run: (...args) => runWith({}, ...args),
    runWith,
    files: () => filesIn(folder),
  }
}

const variableOf = (tenant: string) => `${tenant.toUpperCase().replaceAll('-', '_')}_TOKEN`

function configOf(simulator: Simulator, tenants: readonly TenantInFile[], store: string, more: string): string {
  const entries = tenants.map(
    ({ name, more: own = '' }) => `  - name: ${name}
    baseUrl: ${simulator.baseUrl}
    auth: { token: { env: ${variableOf(name)} } }
    ${own}`,
  )
  const api = more.includes('api:') ? '' : 'api: { pageSizeParameter: limit, requestsPerSecond: 0 }\n'
  // As many as show what details do: each costs a request.
  const own = more.includes('userDetails:') ? api : `${api}userDetails: { perRun: 20 }\n`
  return `tenants:\n${entries.join('\n')}\n${own}store: { path: ${JSON.stringify(store)} }\n${more}\n`
}

/** A world that was synced once. */
export async function synced(options: CliOptions = {}): Promise<Cli> {
  const world = await cli(options)
  const { code, stderr, stdout } = await world.run('sync')
  if (code !== 0) throw new Error(`the first sync ended with ${code}\n${stdout}\n${stderr}`)
  return world
}

/** Lets everything be due again. */
export const aDay = 24 * hourMs

/** What a command prints with `--format json`; it must succeed. */
export async function json<Row = never>({ run }: Pick<Cli, 'run'>, ...args: readonly string[]): Promise<Row[]> {
  const { code, stdout, stderr } = await run(...args, '--format', 'json')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${stderr}`)
  return JSON.parse(stdout)
}

/** A line of `accept`. */
export interface Decidable {
  readonly id: string
  readonly kind: 'hold' | 'drift'
  readonly subject: string
  readonly reason: string
  readonly count: number
  readonly accepted: boolean
  readonly next: string
}

interface DoctorRow {
  readonly level: string
  readonly subject: string
  readonly permission: string | null
  readonly text: string
  readonly next: string | null
}

/** What the doctor finds, a line each, such as `fail users Api_Users_Read: missing_permission: …. What to do`. */
export async function doctor({ run }: Pick<Cli, 'run'>, ...args: readonly string[]) {
  const { code, stdout, stderr } = await run('doctor', ...args, '--format', 'json')
  const rows: readonly DoctorRow[] = JSON.parse(stdout)
  const lines = rows.map(({ level, subject, permission, text, next }) => {
    const what = permission === null ? subject : `${subject} ${permission}`
    return `${level} ${what}: ${text}${next === null ? '' : `. ${next}`}`
  })
  return { code, stderr, rows, stdout: lines.join('\n') }
}
