import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bundlePrograms, type Programs } from './support/bundle.ts'
import { start, tokenVariable } from './support/child.ts'
import { launcherFlags } from './support/options.ts'
import { writeConfig } from './support/place.ts'
import { short, table } from './support/print.ts'
import { flatness, type Sample, sample } from './support/soak-samples.ts'
import type { SimulatorAddress } from './support/soak-tasks.ts'

const help = `npm run bench:soak -- [options]

Runs the daemon on a simulated tenant that lives, every schedule each second or two and its clock so fast that two
minutes are a day, and tells whether memory, open files and database stay as they are.

  --minutes N    how long (20)
  --users N      users of the tenant (2000)
  --json FILE    writes every sample as JSON
`

/** Two minutes are a day: what is kept for a day comes and goes many times within one soak. */
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
const more = {
  schedule,
  freshness: Object.fromEntries(resources.map((name) => [name, '12h'])),
  history: { retentionDays: 1 },
  log: { level: 'error' },
}

interface SoakOptions {
  readonly minutes: number
  readonly users: number
  readonly json: string | undefined
}

async function soak({ minutes, users, json }: SoakOptions): Promise<boolean> {
  await using programs = await bundlePrograms()
  const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-soak-'))
  const children: ChildProcess[] = []
  try {
    const store = join(folder, 'mirror.db')
    const { daemon, url } = await startBoth(programs, store, users, children)
    const samples = await watch(daemon, url, store, minutes)
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(samples, null, 1)}\n`)
    return show(samples)
  } finally {
    for (const child of children.toReversed()) {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startBoth({ path }: Programs, store: string, users: number, children: ChildProcess[]) {
  const pace = { startedAt: Date.now(), factor }
  const simulator = start(path['soak-simulator'], [JSON.stringify({ pace, users })], {})
  children.push(simulator)
  simulator.stderr?.pipe(process.stderr)
  const [{ origin, token }] = (await once(simulator, 'message')) as [SimulatorAddress]
  const config = writeConfig({ origin, store, more })
  const env = { [tokenVariable]: token }
  const daemon = start(path['soak-daemon'], [JSON.stringify({ config, pace })], { flags: launcherFlags, env })
  children.push(daemon)
  daemon.stderr?.pipe(process.stderr)
  const [{ port }] = (await once(daemon, 'message')) as [{ port: number }]
  return { daemon, url: `http://127.0.0.1:${port}` }
}

async function watch(daemon: ChildProcess, url: string, store: string, minutes: number): Promise<Sample[]> {
  const began = performance.now()
  const samples: Sample[] = []
  for (let next = sampleEveryMs; next <= minutes * 60_000; next += sampleEveryMs) {
    await pause(Math.max(0, began + next - performance.now()))
    if (daemon.exitCode !== null) throw new Error(`The daemon ended with ${daemon.exitCode}`)
    const exposition = await (await fetch(`${url}/metrics`)).text()
    for (const path of ['/', '/api/v1/status', '/api/v1/findings']) await (await fetch(url + path)).text()
    samples.push(sample((performance.now() - began) / 1000, daemon.pid ?? 0, exposition, store))
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

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { minutes: text, users: text, json: text, help: { type: 'boolean' } } })
if (values.help === true) process.stdout.write(help)
else {
  const { minutes = '20', users = '2000', json } = values
  if (!(Number(minutes) > 0 && Number(users) > 0)) throw new Error('--minutes and --users: expected numbers above 0')
  process.exitCode = (await soak({ minutes: Number(minutes), users: Number(users), json })) ? 0 : 1
}
