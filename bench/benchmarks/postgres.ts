import { mkdtempDisposableSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark, Context } from '../support/benchmark.ts'
import { writeConfig } from '../support/config.ts'
import { type FullSync, fullSyncs, runSync } from '../support/full-syncs.ts'
import type { Reading } from '../support/measured-process.ts'
import { createDatabase } from '../support/postgres.ts'
import { againstTarget, short, table } from '../support/print.ts'
import { median } from '../support/statistics.ts'

/** Three tenants at their limits: 10 requests a second, 200 users a page. */
const recordsPerSecondAtLeast = 6000

type Round = ReadonlyMap<FullSync, Reading>

export const postgres: Benchmark = {
  name: 'postgres',
  about: '`sync` of the users list into PostgreSQL, whole processes by the clock',
  async run(context) {
    const tables: string[] = []
    for (const count of context.options.users) {
      const rounds: Round[] = []
      for (let i = 0; i < context.options.rounds; i++) rounds.push(await runRound(context, count))
      const lines = fullSyncs.map((fullSync) => {
        const middle = (measure: (reading: Reading) => number) =>
          median(rounds.flatMap((round) => round.get(fullSync) ?? []).map(measure))
        const rate = middle(({ elapsedMs }) => Math.round((count * 1000) / elapsedMs))
        const cost = [middle(({ cpuMs }) => cpuMs / 1000), middle(({ peakMiB }) => peakMiB)].map(short)
        return [fullSync, short(rate), ...cost, ...againstTarget(rate, { atLeast: recordsPerSecondAtLeast })]
      })
      tables.push(table([[`${short(count)} users`, 'records/s', 'CPU s', 'peak MiB', 'minimum', ''], ...lines]))
    }
    return tables.join('\n\n')
  },
}

async function runRound(context: Context, count: number): Promise<Round> {
  using folder = mkdtempDisposableSync(join(context.folder, 'postgres-'))
  await using database = await createDatabase()
  const config = writeConfig({ origin: context.tenant.origin, folder: folder.path, postgres: database.url })
  const round = new Map<FullSync, Reading>()
  for (const fullSync of fullSyncs) round.set(fullSync, await runSync(context, config, fullSync, count))
  return round
}
