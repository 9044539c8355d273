import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { inProcesses, share } from '../support/in-processes.ts'
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
const livesPerLine = 500
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

if (share !== null) {
  for await (const report of live(share, options)) process.send?.(report)
  process.disconnect?.()
} else {
  // A life is the same whatever runs beside it.
  const seeds = seedsFrom(Number(values.from), Number(values.seeds))
  await inProcesses(import.meta.filename, seeds, Number(values.jobs), (report) => {
    tally.add(report as SimulationReport)
    printReport(report as SimulationReport)
    if (tally.lives % livesPerLine === 0)
      console.log(`${tally.lives} lives, ${tally.violations} violations, ${seconds()} s`)
  })
  console.log(tally.table(options.steps, seconds()))
  process.exitCode = tally.violations > 0 ? 1 : 0
}
