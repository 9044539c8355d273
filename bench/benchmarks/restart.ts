import { mkdtempDisposableSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark, Context } from '../support/benchmark.ts'
import { writeConfig } from '../support/config.ts'
import { scrape, startDaemon, untilReady } from '../support/daemon.ts'
import { runMeasured } from '../support/measured-process.ts'
import { againstTarget, short, table } from '../support/print.ts'
import { median } from '../support/statistics.ts'

const fewUsers = 50

interface Restart {
  readonly firstScrapeMs: number
  readonly readyMs: number
  readonly readyCpuMs: number
  readonly scrapeCpuMs: number
}

interface Line {
  readonly name: string
  readonly measure: (restart: Restart) => number
  /** What many users may cost, given what few cost. */
  readonly atMost?: (few: number) => number
}

const lines: readonly Line[] = [
  {
    name: 'shows the records after ms',
    measure: ({ firstScrapeMs }) => firstScrapeMs,
    atMost: (few) => 2 * few + 100,
  },
  { name: 'ready after ms', measure: ({ readyMs }) => readyMs },
  { name: 'CPU until then, ms', measure: ({ readyCpuMs }) => readyCpuMs },
  { name: 'a scrape, CPU ms', measure: ({ scrapeCpuMs }) => scrapeCpuMs, atMost: (few) => 1.25 * few + 1 },
]

export const restart: Benchmark = {
  name: 'restart',
  about: 'the daemon on a mirror of a tenant: start, readiness, scrape',
  async run(context) {
    const few = await restarts(context, fewUsers)
    const tables: string[] = []
    for (const count of context.options.users) {
      const many = await restarts(context, count)
      const rows = lines.map(({ name, measure, atMost }) => {
        const [withFew, withMany] = [median(few.map(measure)), median(many.map(measure))]
        const target = atMost && { atMost: atMost(withFew) }
        return [name, short(withFew), short(withMany), ...againstTarget(withMany, target)]
      })
      tables.push(table([['', `${fewUsers} users`, `${short(count)} users`, 'target', ''], ...rows]))
    }
    return tables.join('\n\n')
  },
}

async function restarts({ options, programs, tenant, folder: parent }: Context, users: number): Promise<Restart[]> {
  using folder = mkdtempDisposableSync(join(parent, 'restart-'))
  const config = writeConfig({ origin: tenant.origin, folder: folder.path })
  await tenant.fill({ users, changed: false })
  await runMeasured(programs, programs.product, ['sync', '--config', config], `+${users} ~0 -0 =0`)
  const all: Restart[] = []
  for (let i = 0; i < options.rounds; i++) {
    await using daemon = await startDaemon(programs, config)
    const { text } = await daemon.get('/metrics')
    const firstScrapeMs = daemon.elapsedMs()
    const [, shown] = /^tenantwatch_mirror_records\{[^}]*resource="users"[^}]*\} (\d+)/m.exec(text) ?? []
    if (Number(shown) !== users) throw new Error(`The first scrape shows ${shown} users instead of ${users}`)
    await untilReady(daemon)
    const readyMs = daemon.elapsedMs()
    const { cpuMs: readyCpuMs } = await daemon.read()
    const { cpuMs: scrapeCpuMs } = await scrape(daemon, 10)
    all.push({ firstScrapeMs, readyMs, readyCpuMs, scrapeCpuMs })
    daemon.terminate()
    await daemon.ended()
  }
  return all
}
