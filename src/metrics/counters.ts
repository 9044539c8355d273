import { renderLabels } from './exposition.ts'
import type { Family, Sample } from './family.ts'
import { type CounterName, counters } from './instrument-catalogue.ts'

type Labels = Sample['labels']

export interface Counters {
  /**
   * Adds to a series; 0 initializes it.
   *
   * @throws RangeError on a negative or infinite amount or NaN, or an unknown counter.
   */
  add(name: CounterName, labels: Labels, amount: number): void
  families(isShown: (labels: Labels) => boolean): readonly Family[]
}

/** Labels after `tenant`, shared by the series of all tenants. */
interface Tail {
  readonly labels: Labels
  readonly text: string
  readonly rest: string
}

interface Series {
  readonly tail: Tail
  value: number
}

/** A series stores its value only: prom-client has three objects and a key for each, too much for fleets. */
export function createCounters(): Counters {
  const byName = new Map(counters.map(({ name }) => [name, new Map<string, Map<string, Series>>()]))
  const tails = new Map<string, Tail>()
  const tailOf = (labels: Labels): Tail => {
    const text = renderLabels(labels)
    const known = tails.get(text)
    if (known !== undefined) return known
    const tail = { labels, text, rest: text.replace('{', ',') }
    tails.set(text, tail)
    return tail
  }
  return {
    add(name, { tenant = '', ...rest }, amount) {
      const byTenant = byName.get(name)
      if (byTenant === undefined || !(amount >= 0) || amount === Infinity)
        throw new RangeError(`Cannot add ${amount} to counter ${name}: it can only grow`)
      let ofTenant = byTenant.get(tenant)
      if (ofTenant === undefined) {
        ofTenant = new Map()
        byTenant.set(tenant, ofTenant)
      }
      const tail = tailOf(rest)
      const series = ofTenant.get(tail.text)
      if (series === undefined) ofTenant.set(tail.text, { tail, value: amount })
      else series.value += amount
    },
    families: (isShown) =>
      counters.map(({ name, help }) => {
        const samples = { [Symbol.iterator]: () => shown(byName.get(name), isShown) }
        return { name, type: 'counter', help, samples, distinct: true }
      }),
  }
}

function* shown(
  byTenant: ReadonlyMap<string, ReadonlyMap<string, Series>> = new Map(),
  isShown: (labels: Labels) => boolean,
): Generator<Sample> {
  for (const [tenant, ofTenant] of byTenant) {
    const own = { tenant }
    if (!isShown(own)) continue
    const head = renderLabels(own).slice(0, -1)
    for (const { tail, value } of ofTenant.values()) {
      const { resource } = tail.labels
      if (resource !== undefined && !isShown({ tenant, resource })) continue
      yield { labels: own, text: tail.rest === '' ? `${head}}` : head + tail.rest, value }
    }
  }
}
