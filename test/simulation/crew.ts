import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Share } from './live-apart.ts'
import { type LifeOptions, live } from './lives.ts'
import type { SimulationReport } from './simulate.ts'

const program = fileURLToPath(new URL('live-apart.ts', import.meta.url))

/**
 * Runs the lives of many seeds in so many processes at once; `onReport` receives each report as its life ends. A life is the same
 * whatever runs beside it.
 */
export async function liveAtOnce(
  seeds: readonly number[],
  options: LifeOptions,
  jobs: number,
  onReport: (report: SimulationReport) => void,
): Promise<void> {
  if (jobs < 2 || seeds.length < 2) {
    for await (const report of live(seeds, options)) onReport(report)
    return
  }
  const share = (part: number): Share => ({ seeds: seeds.filter((_, i) => i % jobs === part), options })
  const parts = Array.from({ length: Math.min(jobs, seeds.length) }, (_, part) => JSON.stringify(share(part)))
  await Promise.all(
    parts.map(async (part) => {
      const child = fork(program, [part], { serialization: 'advanced' })
      child.on('message', (report) => onReport(report as SimulationReport))
      // The messages that the process sent arrive before its end is known.
      const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
      if (code !== 0) throw new Error(`A process that runs simulated lives ended with ${signal ?? code}`)
    }),
  )
}
