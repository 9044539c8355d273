import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { product } from '../support/engine.ts'
import { cpuMsOf, statusMiB } from '../support/measure.ts'
import { writeConfig } from '../support/place.ts'
import { newDatabase } from '../support/postgres.ts'
import { type Daemon, startDaemon } from '../support/program.ts'
import type { Benchmark, Row } from '../support/result.ts'
import { median } from '../support/statistics.ts'
import { until } from '../support/until.ts'

const count = 4
const scrapes = 9
const restMs = 60_000

/** As Prometheus may. */
const scrapeEveryMs = 15_000

export const replicas: Benchmark = {
  name: 'replicas',
  about: `${count} replicas that share as many small tenants as are asked for, on PostgreSQL; needs TEST_POSTGRES_URL`,
  slow: true,
  async run(bench) {
    const { tenants } = bench.options
    await using database = await newDatabase('bench_replicas')
    const config = writeConfig({
      origin: bench.server.origin,
      store: bench.stores.fresh(),
      url: database.url.href,
      tenants,
    })
    await using started = new AsyncDisposableStack()
    const starting = Array.from({ length: count }, () => startDaemon(bench, config, { lags: true }))
    const all: Daemon[] = (await Promise.all(starting)).map((one) => started.use(one))
    const share = Math.ceil(tenants / count)
    const scraped: number[] = []
    await until('each replica owns its share', scrapeEveryMs, async () => {
      const owned = await Promise.all(all.map((one) => ownedBy(one, scraped)))
      return owned.every((own) => own <= share) && owned.reduce((sum, own) => sum + own, 0) === tenants
    })
    const evenMs = performance.now() - (all[0]?.startedAt ?? 0)
    await until('every resource was tried', scrapeEveryMs, async () => {
      await Promise.all(all.map((one) => ownedBy(one, scraped)))
      const ready = await Promise.all(all.map((one) => one.get('/readyz')))
      return ready.every(({ status }) => status === 200)
    })
    const readyMs = performance.now() - (all[0]?.startedAt ?? 0)
    await pause(bench.options.minutes * 60_000)
    const rest = await atRest(database.url, all)
    const seen: (Row & { readonly series: number })[] = []
    for (const [n, one] of all.entries()) seen.push(await lookAt(one, `${product}: replica ${n + 1} of ${count}`))
    const most = (pick: (row: (typeof seen)[number]) => number) => Math.max(...seen.map(pick))
    const heaps = await Promise.all(all.map(heapMiB))
    return {
      rows: seen,
      against: null,
      facts: {
        's until each replica owned its share': evenMs / 1000,
        's until everything was tried': readyMs / 1000,
        'longest scrape until then, ms': Math.max(...scraped),
        'most series a replica': most(({ series }) => series),
        'longest scrape ms': most(({ wallMs }) => wallMs),
        'longest scrape, CPU ms': most(({ cpuMs }) => cpuMs),
        'most settled MiB': Math.max(...rest.settledMiB),
        'peak MiB': most(({ peakMiB }) => peakMiB),
        'most live heap MiB': Math.max(...heaps),
        ...rest.facts,
      },
    }
  },
}

async function ownedBy(daemon: Daemon, scraped: number[]): Promise<number> {
  const began = performance.now()
  const { text } = await daemon.get('/metrics')
  scraped.push(performance.now() - began)
  return Number(/^tenantwatch_replica_tenants (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}

/** The medians of some scrapes; their processor time includes what else the replica does meanwhile. */
async function lookAt(daemon: Daemon, name: string): Promise<Row & { readonly series: number }> {
  const [wall, cpu]: [number[], number[]] = [[], []]
  let series = 0
  for (let n = 0; n < scrapes; n++) {
    const [began, used] = [performance.now(), cpuMsOf(daemon.pid)]
    const { text } = await daemon.get('/metrics')
    wall.push(performance.now() - began)
    cpu.push(cpuMsOf(daemon.pid) - used)
    series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
  }
  return { name, wallMs: median(wall), cpuMs: median(cpu), peakMiB: statusMiB(daemon.pid, 'VmHWM'), series }
}

/** What the database and the replicas do when nobody asks for anything. */
async function atRest(url: URL, all: readonly Daemon[]) {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const read = async () => {
    const { rows } = await client.query<{ commits: string }>(
      'select xact_commit as commits from pg_stat_database where datname = current_database()',
    )
    return { commits: Number(rows[0]?.commits), cpuMs: all.map(({ pid }) => cpuMsOf(pid)) }
  }
  const before = await read()
  await pause(restMs)
  const after = await read()
  const { rows } = await client.query<{ connections: string }>(
    `select count(*) as connections from pg_stat_activity where application_name = 'tenantwatch'`,
  )
  await client.end()
  const cpu = after.cpuMs.map((ms, n) => ms - (before.cpuMs[n] ?? 0))
  return {
    settledMiB: all.map(({ pid }) => statusMiB(pid, 'VmRSS')),
    facts: {
      'transactions a second at rest': ((after.commits - before.commits) * 1000) / restMs,
      'connections at rest': Number(rows[0]?.connections),
      'CPU of a replica at rest %': (100 * median(cpu)) / restMs,
    },
  }
}

async function heapMiB(daemon: Daemon): Promise<number> {
  daemon.collect()
  await daemon.get('/healthz')
  daemon.stop()
  return (await daemon.ended)?.heapMiB ?? Number.NaN
}
