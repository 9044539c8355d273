import type { Scrape } from './scraper.ts'

/** A time during which the daemon did one thing; milliseconds since the epoch. */
interface Phase {
  readonly name: string
  readonly from: number
  readonly to: number
}

interface FullySynced {
  readonly time: string
  readonly durationMs: number
}

/** The first two full syncs of the users and what followed each, from the daemon's log and from what scrapes showed. */
export function phases(log: readonly string[], scrapes: readonly Scrape[]): Phase[] {
  const fullSyncs = log
    .filter((line) => line.includes('"resource":"users","mode":"full"') && line.includes('"msg":"Run succeeded"'))
    .map((line) => JSON.parse(line) as FullySynced)
  return ['first', 'second'].flatMap((name, i) => {
    const full = fullSyncs[i]
    if (full === undefined) throw new Error(`The log tells of no ${name} full sync of the users`)
    const ended = Date.parse(full.time)
    const evaluated = scrapes.find(({ evaluatedAt }) => evaluatedAt >= ended)
    return [
      { name: `${name} full sync`, from: ended - full.durationMs, to: ended },
      {
        name: `evaluation after the ${name}`,
        from: ended,
        to: evaluated === undefined ? ended : evaluated.at + evaluated.ms,
      },
    ]
  })
}
