import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { temporaryRoot } from '../support/temporary-root.ts'
import { type SimulationOptions, type SimulationReport, simulate } from './simulate.ts'
import { Tally } from './tally.ts'

export type LifeOptions = Pick<SimulationOptions, 'steps' | 'faults' | 'only' | 'hours' | 'steady' | 'look'>

/** Runs the lives of many seeds one after the other, each in a folder that is removed at its end. */
export async function* live(seeds: Iterable<number>, options: LifeOptions): AsyncGenerator<SimulationReport> {
  const home = mkdtempSync(join(temporaryRoot, 'tenantwatch-lives-'))
  try {
    const template = join(home, 'template.db')
    await openMirror(template, 'engine')[Symbol.asyncDispose]()
    for (const seed of seeds) {
      const folder = mkdtempSync(join(home, 'life-'))
      yield await simulate({ seed, folder, template, ...options })
      rmSync(folder, { recursive: true, force: true })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Runs many simulated lives and sums them up; `broken` has a line for each violation, with the command that replays that life. */
export async function liveAll(
  seeds: Iterable<number>,
  options: LifeOptions,
): Promise<{ readonly tally: Tally; readonly broken: readonly string[] }> {
  const tally = new Tally()
  const broken: string[] = []
  for await (const report of live(seeds, options)) {
    tally.add(report)
    const again = replayOf(report.seed, options)
    broken.push(...report.violations.map(({ kind, step, what }) => `${kind}, step ${step}: ${what} (${again})`))
  }
  return { tally, broken }
}

/** Consecutive seeds. */
export function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i)
}

/** The command that replays a life. */
export function replayOf(seed: number, { steps, faults, only, hours }: LifeOptions): string {
  const more = [
    faults ? '' : ' --quiet',
    only === undefined ? '' : ` --only ${only}`,
    hours === undefined ? '' : ` --hours ${hours}`,
  ]
  return `npm run test:seeds -- --from ${seed} --seeds 1 --steps ${steps}${more.join('')}`
}
