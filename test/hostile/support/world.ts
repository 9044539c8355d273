import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '../../../src/commands/support/configuration.ts'
import { createLog } from '../../../src/commands/support/logger.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { type Daemon, startDaemon } from '../../../src/daemon/daemon.ts'
import { type SimulatorOptions, startSimulator, type TokenName } from '../../../src/simulator/index.ts'
import type { Cli } from '../../commands/support/cli.ts'
import { fakeIo } from '../../support/fake-io.ts'
import { temporaryRoot } from '../../support/temporary-root.ts'

export { type Ran, startTime } from '../../support/fake-io.ts'

export interface WorldOptions {
  readonly simulator?: SimulatorOptions
  /** Where the token comes from, as YAML; by default the variable TOKEN, which holds the reader's token. */
  readonly token?: string
  /** The owner of the client id that replaces `$ID` in `token`. */
  readonly clientIdOf?: TokenName
  readonly baseUrl?: string
  /** Further keys of the tenant, and further sections, as YAML. */
  readonly tenant?: string
  readonly more?: string
  readonly listen?: string
  /** Further keys of the section `server`, as YAML flow. */
  readonly server?: string
}

/** A simulated tenant and the whole program on it, in this process; for tests that share one world. */
export interface World extends Omit<Cli, 'write' | 'read' | 'files'>, AsyncDisposable {
  /** Starts the daemon; its log goes into `logged`. */
  daemon(): Promise<Daemon & { readonly origin: string; readonly logged: () => string }>
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { token = '{ env: TOKEN }', tenant = '', more = '', listen = '127.0.0.1:0', clientIdOf = 'reader' } = options
  const folder = mkdtempSync(join(temporaryRoot, 'tenantwatch-'))
  const env: Record<string, string | undefined> = { TENANTWATCH_CONFIG: 'tenantwatch.yaml' }
  const { now, pass, io: newIo, runWith } = fakeIo({ env, folder })
  const simulator = await startSimulator({ clock: now, controlPort: null, ...options.simulator })
  env['TOKEN'] = simulator.tokens.reader
  const store = join(folder, 'mirror.db')
  const config = `
tenants:
  - name: acme
    baseUrl: ${options.baseUrl ?? simulator.baseUrl}
    auth: { token: ${token.replace('$ID', simulator.credentials[clientIdOf].clientId)} }
    ${tenant}
api: { pageSizeParameter: limit, requestsPerSecond: 0, maxBodyMiB: 64 }
store: { path: ${JSON.stringify(store)} }
server: { listen: "${listen}", ${options.server ?? ''} }
log: { level: trace }
${more}
`
  writeFileSync(join(folder, 'tenantwatch.yaml'), config)

  return {
    simulator,
    folder,
    store,
    env,
    pass,
    now,
    runWith,
    run: (...args) => runWith({}, ...args),
    async daemon() {
      const { io, out } = newIo()
      const { settings } = loadSettings({ file: undefined, env, cwd: folder, catalogue, purpose: 'request' })
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
