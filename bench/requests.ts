import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validateDetailed } from 'node-cron'
import { createTenantClient } from '../src/api/client.ts'
import { catalogue } from '../src/commands/support/configuration.ts'
import { timesOfDay } from '../src/config/cron.ts'
import { loadSettings } from '../src/config/load-settings.ts'
import type { TenantSettings } from '../src/config/settings.ts'
import type { Log } from '../src/model/log.ts'
import { hourMs, minuteMs } from '../src/model/time.ts'
import { type Simulator, startSimulator } from '../src/simulator/index.ts'
import { openMirror } from '../src/store/db/sqlite/sqlite-mirror.ts'
import { enabledNames, shortestIntervalMs } from '../src/sync/due.ts'
import { openTenantEngine, type TenantEngine } from '../src/sync/tenant-engine.ts'
import { table } from './support/print.ts'

/** Requests of a steady hour under the default configuration, as the simulated tenant counts them. */

/** The longest interval of the default schedule. */
const periodMs = 6 * hourMs

const silent: Log = { debug() {}, info() {}, warn() {}, error: console.error, child: () => silent }
const observer = {
  runEnded() {},
  cursorReset() {},
  contractEvent() {},
  secretsRotated() {},
  page() {},
  lookedUp() {},
}
const cases = [
  { users: 50, changing: false },
  { users: 50, changing: true },
  { users: 1000, changing: false },
]

/** Requests an hour by path. */
async function steadyHour({ users, changing }: (typeof cases)[number]): Promise<ReadonlyMap<string, number>> {
  const began = Date.parse('2026-03-01T00:00:00Z')
  let passed = 0
  const clock = {
    now: () => began + passed,
    monotonic: () => passed,
    async sleep(ms: number) {
      passed += ms
    },
  }
  const sizes = { users, documents: Math.ceil(users / 2) }
  await using simulator = disposable(
    await startSimulator({
      clock: clock.now,
      sizes,
      controlPort: null,
      requestLogSize: 100_000,
      lifeRates: { usersLeaving: 0, documentsDeleted: 0 },
    }),
  )
  const env = { TENANTWATCH_BASE_URL: simulator.baseUrl, TENANTWATCH_TOKEN: simulator.tokens.reader }
  const [settings] = loadSettings({ env, catalogue, purpose: 'request' }).settings.tenants
  if (settings === undefined) throw new Error('The environment makes one tenant')
  using folder = mkdtempDisposableSync(join(tmpdir(), 'tenantwatch-requests-'))
  await using store = openMirror(join(folder.path, 'mirror.db'), 'engine')
  await using client = createTenantClient({
    ...{ name: settings.name, baseUrl: settings.baseUrl, auth: settings.auth, api: settings.api, clock, log: silent },
    random: () => 0.5,
    env: (name) => env[name as keyof typeof env],
    cycleMs: shortestIntervalMs(settings),
    blockedUntil: 0,
    blockedForMs: null,
    storeWait: async () => {},
    serverTimesReached: [],
    resources: enabledNames(settings),
  })
  const { reader } = client
  const engine = await openTenantEngine({ settings, reader, store, clock, log: silent, observer })
  // The first period fills the mirror.
  for (let at = 0; at < 2 * periodMs; at += minuteMs) {
    if (at === periodMs) simulator.requests.clear()
    passed = Math.max(passed, at)
    if (changing && at % (30 * minuteMs) === 0) simulator.live()
    await runDue(engine, settings, at)
  }
  const counts = new Map<string, number>()
  for (const { path } of simulator.requests.all()) {
    const name = path.replace('/api/public/', '').replace(/\d+$/, '{id}')
    counts.set(name, (counts.get(name) ?? 0) + hourMs / periodMs)
  }
  return counts
}

async function runDue(engine: TenantEngine, settings: TenantSettings, timeOfDay: number): Promise<void> {
  for (const resource of engine.resources) {
    for (const mode of ['incremental', 'full'] as const) {
      const schedule = settings.resources[resource][mode]
      if (schedule === null || !firesAt(schedule.expression, timeOfDay)) continue
      const { outcome, message } = await engine.run(resource, mode, new AbortController().signal)
      if (outcome === 'failure') throw new Error(`${resource}: ${message}`)
    }
  }
}

function firesAt(expression: string, timeOfDay: number): boolean {
  const { fields } = validateDetailed(expression)
  return fields !== undefined && timesOfDay(fields).includes(timeOfDay)
}

function disposable(simulator: Simulator) {
  return Object.assign(simulator, { [Symbol.asyncDispose]: () => simulator.close() })
}

const columns: ReadonlyMap<string, number>[] = []
for (const one of cases) columns.push(await steadyHour(one))
const names = [...new Set(columns.flatMap((counts) => [...counts.keys()]))].sort()
const cell = (value: number) => String(Math.round(value * 10) / 10)
const rows = names.map((name) => [name, ...columns.map((counts) => cell(counts.get(name) ?? 0))])
const sums = columns.map((counts) => cell([...counts.values()].reduce((sum, count) => sum + count, 0)))
const heading = cases.map(({ users, changing }) => `${users} users${changing ? ', changing' : ''}`)
console.log(table([['Requests an hour', ...heading], ...rows, ['all', ...sums]]))
