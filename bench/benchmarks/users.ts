import { mkdtempDisposableSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark, Context } from '../support/benchmark.ts'
import { writeConfig } from '../support/config.ts'
import { countsOf, type FullSync, fullSyncs, runSync } from '../support/full-syncs.ts'
import { type Reading, runMeasured } from '../support/measured-process.ts'
import { againstTarget, short, table } from '../support/print.ts'
import { median } from '../support/statistics.ts'

const modes = { first: 'prepared', unchanged: 'diff', changed: 'diff' } as const
const cpuAtMost = { first: 1.4, unchanged: 1.2, changed: 1.5 } as const
const memoryAtMost = 1.3

interface Round {
  readonly product: ReadonlyMap<FullSync, Reading>
  readonly reference: ReadonlyMap<FullSync, Reading>
}

export const users: Benchmark = {
  name: 'users',
  about: '`sync` of the users list beside bench/reference.ts, whole processes',
  async run(context) {
    const tables: string[] = []
    for (const count of context.options.users) {
      const rounds: Round[] = []
      for (let i = 0; i < context.options.rounds; i++) rounds.push(await runRound(context, count))
      tables.push(present(count, rounds))
    }
    return tables.join('\n\n')
  },
}

/** Both programs take turns, so that other work on the machine disturbs them alike. */
async function runRound(context: Context, count: number): Promise<Round> {
  const { programs, tenant } = context
  using folder = mkdtempDisposableSync(join(context.folder, 'users-'))
  const config = writeConfig({ origin: tenant.origin, folder: folder.path })
  const database = join(folder.path, 'reference.db')
  const product = new Map<FullSync, Reading>()
  const reference = new Map<FullSync, Reading>()
  for (const fullSync of fullSyncs) {
    product.set(fullSync, await runSync(context, config, fullSync, count))
    const { created, updated } = countsOf(fullSync, count)
    const summary = JSON.stringify({ records: count, written: created + updated, removed: 0 })
    const args = [tenant.origin, database, modes[fullSync]]
    reference.set(fullSync, await runMeasured(programs, programs.reference, args, summary))
  }
  return { product, reference }
}

function present(count: number, rounds: readonly Round[]): string {
  const line = (name: string, measure: (readings: ReadonlyMap<FullSync, Reading>) => number, atMost: number) => {
    const product = median(rounds.map((round) => measure(round.product)))
    const reference = median(rounds.map((round) => measure(round.reference)))
    const ratio = product / reference
    return [name, short(product), short(reference), ratio.toFixed(2), ...againstTarget(ratio, { atMost })]
  }
  const cpu = fullSyncs.map((fullSync) =>
    line(`${fullSync}, CPU s`, (readings) => (readings.get(fullSync)?.cpuMs ?? Number.NaN) / 1000, cpuAtMost[fullSync]),
  )
  const peak = (readings: ReadonlyMap<FullSync, Reading>) =>
    Math.max(...[...readings.values()].map((one) => one.peakMiB))
  const memory = line('peak memory of the three, MiB', peak, memoryAtMost)
  return table([[`${short(count)} users`, 'tenantwatch', 'reference', 'ratio', 'target', ''], ...cpu, memory])
}
