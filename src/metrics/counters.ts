import { renderLine, renderTail, renderTenant } from './exposition.ts'
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
  readonly at: number
  readonly resource: string | undefined
  readonly text: string
}

interface CounterFamily {
  readonly tails: Map<string, Tail>
  /** Values of each tenant, by `at` of their tail; undefined = the tenant has no such series. */
  readonly byTenant: Map<string, (number | undefined)[]>
}

/** One array per family and tenant: prom-client needs three objects and a key per series, too much for fleets. */
export function createCounters(): Counters {
  const byName = new Map<string, CounterFamily>(
    counters.map(({ name }) => [name, { tails: new Map(), byTenant: new Map() }]),
  )
  return {
    add(name, { tenant = '', ...rest }, amount) {
      const family = byName.get(name)
      if (family === undefined || !(amount >= 0) || amount === Infinity)
        throw new RangeError(`Cannot add ${amount} to counter ${name}: it can only grow`)
      const { tails, byTenant } = family
      const text = renderTail(rest)
      const tail = tails.get(text) ?? { at: tails.size, resource: rest['resource'], text }
      tails.set(text, tail)
      const values = byTenant.get(tenant) ?? []
      byTenant.set(tenant, values)
      values[tail.at] = (values[tail.at] ?? 0) + amount
    },
    families: (isShown) =>
      counters.map(({ name, help }) => {
        return {
          name,
          type: 'counter',
          help,
          lines: { [Symbol.iterator]: () => shown(name, byName.get(name), isShown) },
        }
      }),
  }
}

function* shown(
  name: string,
  family: CounterFamily | undefined,
  isShown: (labels: Labels) => boolean,
): Generator<string> {
  if (family === undefined) return
  for (const [tenant, values] of family.byTenant) {
    if (!isShown({ tenant })) continue
    const head = name + renderTenant(tenant)
    let text = ''
    for (const { at, resource, text: tail } of family.tails.values()) {
      const value = values[at]
      if (value === undefined || (resource !== undefined && !isShown({ tenant, resource }))) continue
      text += renderLine(head + tail, value)
    }
    yield text
  }
}
