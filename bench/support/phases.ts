import type { Scrape } from './scraper.ts'

/** A time during which the daemon did one thing; milliseconds since the epoch. */
export interface Phase {
  readonly name: string
  readonly from: number
  readonly to: number
}

interface Swept {
  readonly time: string
  readonly durationMs: number
}

/** The first two sweeps of the users and what followed each, from the daemon's log and from what scrapes showed. */
export function phases(log: readonly string[], scrapes: readonly Scrape[]): Phase[] {
  const sweeps = log
    .filter((line) => line.includes('"resource":"users","mode":"sweep"') && line.includes('"msg":"Run succeeded"'))
    .map((line) => JSON.parse(line) as Swept)
  return ['first', 'second'].flatMap((name, i) => {
    const sweep = sweeps[i]
    if (sweep === undefined) throw new Error(`The log tells of no ${name} sweep of the users`)
    const ended = Date.parse(sweep.time)
    const judged = scrapes.find(({ evaluatedAt }) => evaluatedAt >= ended)
    return [
      { name: `${name} sweep`, from: ended - sweep.durationMs, to: ended },
      { name: `evaluation after the ${name}`, from: ended, to: judged === undefined ? ended : judged.at + judged.ms },
    ]
  })
}
