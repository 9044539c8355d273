import { renderLabels } from './exposition.ts'
import type { Family, Sample } from './family.ts'
import { type CounterName, counters } from './instrument-catalogue.ts'

export interface Counters {
  /**
   * Adds to a series; 0 bears it.
   *
   * @throws RangeError on what would not let it grow.
   */
  add(name: CounterName, labels: Sample['labels'], amount: number): void
  /** Every counter with its series as they are at any moment: their values grow on. */
  readonly families: readonly Family[]
}

interface Series extends Sample {
  value: number
}

/**
 * The counters. Of the many series of many tenants each is written out once, when it is born: prom-client would keep
 * three objects and a key for each, and write it anew at each scrape.
 */
export function createCounters(): Counters {
  const all = new Map<
    CounterName,
    { readonly family: Family; readonly series: Map<string, Series>; samples: Series[] }
  >()
  for (const { name, help } of counters) {
    const samples: Series[] = []
    all.set(name, { family: { name, type: 'counter', help, samples }, series: new Map(), samples })
  }
  return {
    add(name, given, amount) {
      const counter = all.get(name)
      if (counter === undefined || !(amount >= 0) || amount === Infinity)
        throw new RangeError(`Cannot add ${amount} to counter ${name}: it can only grow`)
      const labels = { ...given }
      const text = renderLabels(labels)
      const known = counter.series.get(text)
      if (known !== undefined) {
        known.value += amount
        return
      }
      const born = { labels, text, value: amount }
      counter.series.set(text, born)
      counter.samples.push(born)
    },
    families: [...all.values()].map(({ family }) => family),
  }
}
