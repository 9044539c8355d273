import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { calamities } from './calamity.ts'
import { live, replayOf, seedsFrom } from './lives.ts'
import type { SimulationReport } from './simulate.ts'
import { Tally } from './tally.ts'
import { requestFaults, spells } from './weather.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: '48' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    only: { type: 'string' },
    quiet: { type: 'boolean', default: false },
    hours: { type: 'string' },
  },
})
const known: readonly string[] = [...requestFaults, ...spells, ...calamities]
if (values.only !== undefined && !known.includes(values.only)) {
  console.error(`Unknown fault ${values.only}; expected one of ${known.join(', ')}`)
  process.exit(2)
}
const options = {
  steps: Number(values.steps),
  faults: !values.quiet,
  ...(values.only === undefined ? {} : { only: values.only }),
  ...(values.hours === undefined ? {} : { hours: Number(values.hours) }),
}
const began = performance.now()
/** Number of lives between two progress lines. */
const wordEvery = 500
const tally = new Tally()

function seconds(): string {
  return ((performance.now() - began) / 1000).toFixed(1)
}

function printReport({ seed, violations, trace }: SimulationReport): void {
  if (values.seeds === '1') console.log(`seed ${seed}: trace ${trace}`)
  if (violations.length === 0) return
  for (const { kind, step, what } of violations.slice(0, 5)) console.log(`seed ${seed}, step ${step}: ${kind}: ${what}`)
  if (violations.length > 5) console.log(`seed ${seed}: ${violations.length - 5} more`)
  console.log(`  again: ${replayOf(seed, options)}`)
}

/** Lives in so many processes at once; a life is the same whatever runs beside it. */
async function liveAtOnce(jobs: number): Promise<void> {
  const seeds = seedsFrom(Number(values.from), Number(values.seeds))
  const parts = Array.from({ length: jobs }, (_, part) => seeds.filter((_, i) => i % jobs === part))
  await Promise.all(
    parts.map(async (part) => {
      const env = { ...process.env, SEEDS: JSON.stringify(part) }
      const child = fork(import.meta.filename, process.argv.slice(2), { env, serialization: 'advanced' })
      child.on('message', (report) => {
        tally.add(report as SimulationReport)
        printReport(report as SimulationReport)
        if (tally.lives % wordEvery === 0)
          console.log(`${tally.lives} lives, ${tally.violations} violations, ${seconds()} s`)
      })
      // The messages that the process sent arrive before its end is known.
      const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
      if (code !== 0) throw new Error(`A process that runs simulated lives ended with ${signal ?? code}`)
    }),
  )
}

if (process.send !== undefined) {
  for await (const report of live(JSON.parse(process.env['SEEDS'] ?? '[]'), options)) process.send(report)
  process.disconnect?.()
} else {
  await liveAtOnce(Math.min(Number(values.jobs), Number(values.seeds)))
  console.log(tally.table(options.steps, seconds()))
  process.exitCode = tally.violations > 0 ? 1 : 0
}
