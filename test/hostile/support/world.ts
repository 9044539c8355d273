import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalogue } from '../../../src/cli/catalogue.ts'
import { type Daemon, startDaemon } from '../../../src/cli/daemon.ts'
import type { ExitCode, Io } from '../../../src/cli/io.ts'
import { createLog } from '../../../src/cli/logger.ts'
import { runProgram } from '../../../src/cli/program.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { type Simulator, type SimulatorOptions, startSimulator, type TokenName } from '../../../src/simulator/index.ts'

export const startTime = Date.parse('2026-03-01T12:00:00Z')

export interface Ran {
  readonly code: ExitCode
  readonly stdout: string
  readonly stderr: string
}

export interface WorldOptions {
  readonly simulator?: SimulatorOptions
  /** Where the token comes from, as YAML; by default the variable TOKEN, which holds the reader's token. */
  readonly token?: string
  /** Whose client id stands for `$ID` in `token`. */
  readonly clientIdOf?: TokenName
  readonly baseUrl?: string
  /** Further keys of the tenant, and further sections, as YAML. */
  readonly tenant?: string
  readonly more?: string
  readonly listen?: string
}

/** A simulated tenant and the whole program on it, in this process; for tests that share one world. */
export interface World extends AsyncDisposable {
  readonly simulator: Simulator
  readonly folder: string
  readonly store: string
  readonly env: Record<string, string | undefined>
  pass(ms: number): void
  run(...args: readonly string[]): Promise<Ran>
  runWith(io: Partial<Io>, ...args: readonly string[]): Promise<Ran>
  /** Starts the daemon; its log goes into `logged`. */
  daemon(): Promise<Daemon & { readonly origin: string; readonly logged: () => string }>
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { token = '{ env: TOKEN }', tenant = '', more = '', listen = '127.0.0.1:0', clientIdOf = 'reader' } = options
  const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-'))
  let time = startTime
  const simulator = await startSimulator({ clock: () => time, controlPort: null, ...options.simulator })
  const store = join(folder, 'mirror.db')
  const env: Record<string, string | undefined> = {
    TOKEN: simulator.tokens.reader,
    TENANTWATCH_CONFIG: 'tenantwatch.yaml',
  }
  const config = `
tenants:
  - name: acme
    baseUrl: ${options.baseUrl ?? simulator.baseUrl}
    auth: { token: ${token.replace('$ID', simulator.credentials[clientIdOf].clientId)} }
    ${tenant}
api: { pageSizeParameter: limit, requestsPerSecond: 0, maxBodyMiB: 64 }
store: { path: ${JSON.stringify(store)} }
server: { listen: "${listen}" }
log: { level: trace }
${more}
`
  writeFileSync(join(folder, 'tenantwatch.yaml'), config)

  const ioWith = (out: { stdout: string; stderr: string }): Io => ({
    stdout: sink(out, 'stdout'),
    stderr: sink(out, 'stderr'),
    env,
    cwd: folder,
    clock: {
      now: () => time,
      monotonic: () => time - startTime,
      async sleep(ms, signal) {
        signal?.throwIfAborted()
        await new Promise((resolve) => setImmediate(resolve))
        time += Math.max(0, ms)
      },
    },
    random: () => 0.5,
    stop: new AbortController().signal,
    onReload: () => {},
  })

  async function runWith(other: Partial<Io>, ...args: readonly string[]): Promise<Ran> {
    const out = { stdout: '', stderr: '' }
    const code = await runProgram(args, { ...ioWith(out), ...other })
    return { code, ...out }
  }

  return {
    simulator,
    folder,
    store,
    env,
    pass(ms) {
      time += ms
    },
    runWith,
    run: (...args) => runWith({}, ...args),
    async daemon() {
      const out = { stdout: '', stderr: '' }
      const io = ioWith(out)
      const { settings } = loadSettings({ file: undefined, env, cwd: folder, catalogue })
      const daemon = await startDaemon(settings, io, await createLog(io, 'trace'))
      return {
        ...daemon,
        origin: `http://127.0.0.1:${daemon.address.port}`,
        logged: () => out.stderr,
      }
    },
    async [Symbol.asyncDispose]() {
      await simulator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function sink(out: { stdout: string; stderr: string }, name: 'stdout' | 'stderr') {
  return {
    write(text: string) {
      out[name] += text
      return true
    },
  }
}
