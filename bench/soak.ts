import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { SimulatorAddress } from './children/soak-simulator.ts'
import { type Child, startChild } from './support/child.ts'
import { writeConfig } from './support/config.ts'
import { launcherFlags, tokenVariable } from './support/measured-process.ts'
import { short, table } from './support/print.ts'
import { bundlePrograms } from './support/programs.ts'
import { flatness, type Sample, sample } from './support/soak-samples.ts'

const help = `npm run bench:soak -- [options]

Runs the daemon on a simulated tenant that changes, every schedule each second or two and on a clock on which a day takes
two minutes. Compares memory, open files and database of the second quarter with those of the last.

  --minutes N    how long (20)
  --users N      users of the tenant (2000)
`

/** A day takes two minutes, so data with a lifetime of a day is created and erased many times. */
const factor = 720
const sampleEveryMs = 2000

const schedule = {
  users: { incremental: '* * * * * *', full: '*/2 * * * * *' },
  documents: { incremental: '* * * * * *', full: '*/2 * * * * *' },
  'api-clients': { full: '*/2 * * * * *' },
  roles: { full: '*/2 * * * * *' },
  permissions: { full: '*/2 * * * * *' },
  'authentication-settings': { full: '* * * * * *' },
  evaluate: '* * * * * *',
}
const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings']
const sections = {
  schedule,
  freshness: Object.fromEntries(resources.map((name) => [name, '12h'])),
  history: { retentionDays: 1 },
  log: { level: 'error' },
}

async function soak(minutes: number, users: number): Promise<boolean> {
  await using programs = await bundlePrograms()
  using folder = mkdtempDisposableSync(join(tmpdir(), 'tenantwatch-soak-'))
  const pace = { startedAt: Date.now(), factor }
  const script = join(import.meta.dirname, 'children/soak-simulator.ts')
  await using simulator = await startChild<SimulatorAddress>(script, { pace, users })
  const { origin, token } = simulator.ready
  const config = writeConfig({ origin, folder: folder.path, sections })
  const options = { env: { [tokenVariable]: token, TENANTWATCH_CRON_SECONDS: '1' }, execArgv: launcherFlags }
  await using daemon = await startChild<{ port: number }>(programs.soakDaemon, { config, pace }, options)
  return show(await watch(daemon, join(folder.path, 'mirror.db'), minutes))
}

async function watch({ process: daemon, ready }: Child<{ port: number }>, store: string, minutes: number) {
  const url = `http://127.0.0.1:${ready.port}`
  const startedAt = performance.now()
  const samples: Sample[] = []
  for (let next = sampleEveryMs; next <= minutes * 60_000; next += sampleEveryMs) {
    await pause(Math.max(0, startedAt + next - performance.now()))
    if (daemon.exitCode !== null) throw new Error(`The daemon ended with ${daemon.exitCode}`)
    const exposition = await (await fetch(`${url}/metrics`)).text()
    for (const path of ['/', '/api/v1/status', '/api/v1/findings']) await (await fetch(url + path)).text()
    samples.push(sample((performance.now() - startedAt) / 1000, daemon.pid ?? 0, exposition, store))
  }
  return samples
}

function show(samples: readonly Sample[]): boolean {
  const shown = samples.filter((_, i) => i % Math.max(1, Math.floor(samples.length / 20)) === 0)
  const heading = ['seconds', 'RSS MiB', 'heap MiB', 'files', 'database MiB']
  const lines = shown.map((one) => [one.at, one.rssMiB, one.heapMiB, one.fds, one.storeMiB].map(short))
  const checkResults = flatness(samples)
  const evaluated = checkResults.map(({ name, early, late, flat }) => [
    name,
    short(early),
    short(late),
    flat ? 'flat' : 'GROWS',
  ])
  const text = [table([heading, ...lines]), table([['', 'second quarter', 'last quarter', ''], ...evaluated])]
  process.stdout.write(`${text.join('\n\n')}\n`)
  return checkResults.every(({ flat }) => flat)
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    users: { type: 'string', default: '2000' },
    help: { type: 'boolean' },
  },
})
if (values.help === true) process.stdout.write(help)
else {
  const [minutes, users] = [Number(values.minutes), Number(values.users)]
  if (!(minutes > 0 && users > 0)) throw new Error('--minutes and --users: expected numbers above 0')
  process.exitCode = (await soak(minutes, users)) ? 0 : 1
}
