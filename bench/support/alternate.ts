import type { Row, Subject, Taken } from './result.ts'
import { median } from './statistics.ts'

/** Runs the subjects in turns, so that what else the machine does meets all of them alike; gives the medians. */
export async function alternate(rounds: number, subjects: readonly Subject[], records?: number): Promise<Row[]> {
  const taken = new Map<string, Taken[]>(subjects.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of subjects) taken.get(name)?.push(await run())
  }
  return [...taken].map(([name, all]) => ({ name, ...middle(all), ...(records !== undefined && { records }) }))
}

function middle(all: readonly Taken[]): Taken {
  const of = (pick: (taken: Taken) => number) => median(all.map(pick))
  const names = Object.keys(all[0]?.facts ?? {})
  return {
    wallMs: of(({ wallMs }) => wallMs),
    cpuMs: of(({ cpuMs }) => cpuMs),
    peakMiB: of(({ peakMiB }) => peakMiB),
    facts: Object.fromEntries(names.map((name) => [name, of(({ facts }) => facts?.[name] ?? Number.NaN)])),
  }
}
