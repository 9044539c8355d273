import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Option } from 'commander'
import { loadSettings } from '../config/load-settings.ts'
import type { Settings } from '../config/settings.ts'
import { type Daemon, startDaemon } from '../daemon/daemon.ts'
import { describeFinding, describeUnknown, inWords } from '../model/describe.ts'
import { type FindingView, shortFingerprint } from '../model/finding.ts'
import type { Log } from '../model/log.ts'
import { exitCodes, type Io, print } from '../model/process/io.ts'
import { packageFile } from '../model/process/package-file.ts'
import { dayMs, dayOf } from '../model/time.ts'
import { textTable } from '../report/table.ts'
import { printWrapped, terminalOf } from '../report/terminal.ts'
import type { Simulator } from '../simulator/index.ts'
import { addCommand } from './command.ts'
import { catalogue } from './support/configuration.ts'
import { untilStopped } from './support/io.ts'
import { createLog } from './support/logger.ts'
import { portNumber, wholeNumber } from './support/options.ts'

/** No removals: an hour of them would exceed the limit of a day and raise a shrink hold. */
const calmLife = { usersJoining: 0.1, usersLeaving: 0, documentsUploaded: 0.1, documentsDeleted: 0 } as const

export const addDemo = addCommand<{ readonly port: number; readonly users: number; readonly once?: boolean }>({
  name: 'demo',
  isConfigured: false,
  summary: 'run the daemon against a simulated tenant with a temporary database',
  options: [
    new Option('--port <n>', 'port of page and metrics; a free one if it cannot be used')
      .argParser(portNumber)
      .default(9469),
    new Option('--users <n>', 'users of the simulated tenant').argParser(wholeNumber).default(250),
    new Option('--once', 'print the findings and exit'),
  ],
  help: 'Example:\n  tenantwatch demo --users 5000',
  async run({ io, options }) {
    const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-demo-'))
    let isStopped = false
    try {
      const { startSimulator } = await import('../simulator/index.ts')
      const clock = () => io.clock.now()
      const sizes = { users: options.users }
      await using simulator = await startSimulator({ clock, sizes, liveEveryMs: 15_000, lifeRates: calmLife })
      // Errors only: the simulated tenant deviates from its specification on purpose, so the first runs would log
      // warnings.
      const log = await createLog(io, 'error')
      print(io, `A simulated tenant with ${options.users} users listens on ${simulator.baseUrl}; syncing …\n`)
      await using daemon = await startOnFreePort(simulator, folder, io, log, options.port)
      await Promise.race([daemon.caughtUp, untilStopped(io)])
      await daemon.session.evaluate()
      const found = await Array.fromAsync(daemon.session.views.findings({ order: 'severity' }))
      show(io, found)
      for (const posture of await daemon.session.views.posture()) {
        const unknown = describeUnknown(posture)
        if (unknown !== null) printWrapped(io, inWords(posture.tenant, unknown))
      }
      if (options.once === true) return exitCodes.ok
      const { port } = daemon.address
      if (port !== options.port && options.port !== 0)
        printWrapped(io, `\nPort ${options.port} cannot be used: page and metrics are on port ${port}.`)
      log.setLevel('info')
      print(io, guide(io, found, { port, controlUrl: simulator.controlUrl ?? '', folder }))
      await Promise.race([untilStopped(io), daemon.broken])
      isStopped = true
      return exitCodes.ok
    } finally {
      rmSync(folder, { recursive: true, force: true })
      if (isStopped)
        printWrapped(
          io,
          '\nStopped; the folder of this demo is deleted. Call in the second terminal: unset TENANTWATCH_CRON_SECONDS TENANTWATCH_CONFIG',
        )
    }
  },
})

/** The first open findings. */
function show(io: Io, found: readonly FindingView[]): void {
  const rows = found.slice(0, 5).map((finding) => {
    return [finding.severity.toUpperCase(), shortFingerprint(finding.fingerprint), describeFinding(finding).text]
  })
  print(io, textTable(['SEVERITY', 'ID', 'FINDING'], rows, { terminal: terminalOf(io), lines: 2 }))
  if (found.length > rows.length) print(io, `… and ${found.length - rows.length} more`)
}

/** What to try. The address of the page comes last, because the first lines scroll away. */
function guide(
  { cwd, clock }: Io,
  [first]: readonly FindingView[],
  { port, controlUrl, folder }: { readonly port: number; readonly controlUrl: string; readonly folder: string },
): string {
  const launcher = packageFile('bin/tenantwatch')
  const below = launcher === null ? 'tenantwatch' : relative(cwd, launcher)
  const program = launcher !== null && below.startsWith('..') ? launcher : below
  const id = shortFingerprint(first?.fingerprint ?? 'FINGERPRINT')
  const fields = `"fields":{"secretExpirationDate":"${dayOf(clock.now() + 180 * dayMs)}"}`
  const renewed = `{"resource":"api-clients","op":"update","id":"${first?.entity.id ?? 'CLIENT'}",${fields}}`
  return `
In a second terminal, while this one runs:
  export TENANTWATCH_CRON_SECONDS=1 TENANTWATCH_CONFIG=${join(folder, configFile)}
  ${program} findings
  ${program} explain ${id}
  ${program} report --output report.html
  ${program} doctor

The simulated tenant changes by itself. Renew the expired secret, and see its
finding end on the page; it takes up to half a minute:
  curl -d '${renewed}' ${controlUrl}/mutate

Break the tenant, and watch the page.
"swap" makes the token that of another tenant and back: "${program} accept"
shows the hold. ${controlUrl} lists further changes and faults.
  curl -d '{"token":"reader","action":"swap"}' ${controlUrl}/tokens
  curl -d '{"token":"reader","action":"swap"}' ${controlUrl}/tokens
  curl -d '{"token":"reader","action":"revoke"}' ${controlUrl}/tokens
  curl -d '{"token":"reader","action":"restore"}' ${controlUrl}/tokens

Status page  http://127.0.0.1:${port}/
Metrics      http://127.0.0.1:${port}/metrics
Press Ctrl-C to stop; the folder of this demo is deleted then.`
}

async function startOnFreePort(simulator: Simulator, folder: string, io: Io, log: Log, port: number): Promise<Daemon> {
  // Ignores variables of this terminal, such as TENANTWATCH_STORE_PATH.
  const own: Io = { ...io, env: {} }
  try {
    return await startDaemon(demoSettings(simulator, folder, port), own, log)
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException }
    if (port === 0 || !['EADDRINUSE', 'EACCES'].includes(cause?.code ?? '')) throw error
    return startDaemon(demoSettings(simulator, folder, 0), own, log)
  }
}

const configFile = 'demo.yaml'

/** Writes the demo's configuration to a file, for commands in a second terminal, and loads it. */
function demoSettings(simulator: Simulator, folder: string, port: number): Settings {
  const token = join(folder, 'token')
  writeFileSync(token, simulator.tokens.reader, { mode: 0o600 })
  const text = `
tenants:
  - name: demo
    baseUrl: ${simulator.baseUrl}
    auth: { token: { file: ${JSON.stringify(token)} } }
    ownClientId: ${simulator.credentials.reader.clientId}
    api: { pageSizeParameter: limit, requestsPerSecond: 0 }
store: { path: ${JSON.stringify(join(folder, 'demo.db'))} }
server: { listen: "127.0.0.1:${port}" }
schedule:
  users: { incremental: "*/10 * * * * *", full: "*/30 * * * * *" }
  documents: { incremental: "*/10 * * * * *", full: "*/30 * * * * *" }
  api-clients: { full: "*/20 * * * * *" }
  roles: { full: "*/30 * * * * *" }
  permissions: { full: "*/30 * * * * *" }
  authentication-settings: { full: "*/10 * * * * *" }
  evaluate: "*/10 * * * * *"
`
  const file = join(folder, configFile)
  writeFileSync(file, text, { mode: 0o600 })
  return loadSettings({ file, text, env: { TENANTWATCH_CRON_SECONDS: '1' }, catalogue, purpose: 'request' }).settings
}
