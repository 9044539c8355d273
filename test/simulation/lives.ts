import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMirror } from '../../src/mirror/sqlite-mirror.ts'
import { type SimulationOptions, type SimulationReport, simulate } from './simulate.ts'

/** Where lives have their databases: in memory where there is such a place. */
const root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Lives the lives of many seeds, one after the other, each in a folder that is gone when it ends. */
export async function* live(
  seeds: Iterable<number>,
  options: Pick<SimulationOptions, 'steps' | 'faults'>,
): AsyncGenerator<SimulationReport> {
  const home = mkdtempSync(join(root, 'tenantwatch-lives-'))
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

/** Consecutive seeds. */
export function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i)
}

/** The one command that lives a life again. */
export function replayOf(seed: number, { steps, faults }: Pick<SimulationOptions, 'steps' | 'faults'>): string {
  return `node test/simulation/run-seeds.ts --from ${seed} --seeds 1 --steps ${steps}${faults ? '' : ' --quiet'}`
}
