import type { ResourceName } from '../../src/model/resource-names.ts'
import { minuteMs, secondMs } from '../../src/model/time.ts'
import type { Prng } from './prng.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Conditions that last for a while in which answers are well formed and yet not the truth. */
export const falseAnswers = [
  /** A load balancer answers some requests from another tenant. */
  'mixed-tenants',
  /** A cache replays old answers of one resource, or of all. */
  'cached-resource',
  'cached-tenant',
  /** `meta.timestamp` is far ahead or behind, of one resource or of all; does not advance; cannot be read. */
  'wrong-time',
  'wrong-time-resource',
  'frozen-time',
  'unreadable-time',
  /** A list loses a few records at a time that still exist, and the look-up by id denies them, too. */
  'bleeding-list',
  /** All roles come without permissions. */
  'empty-permissions',
  /** Dates of the year 9999. */
  'far-dates',
  /** Fields that the specification does not have, with what must never be stored. */
  'secret-fields',
  /** `providerType` and `tenantName` are neither a string nor null. */
  'wrong-settings-types',
  /** The first page of a list is right and announces more; every later request is answered with an empty end. */
  'empty-later-pages',
  /** One id comes twice with different values: on one page or on two, either order. */
  'double-ids',
  /** Each page after the first begins one record too late: a tie of the order, or an offset that a deletion moved. */
  'boundary-shift',
  /** GET /users/{id} gives an older version than the list. */
  'lagging-details',
] as const

export type FalseAnswer = (typeof falseAnswers)[number]

/** Those that need nothing known before to be noticed; the others begin when every resource was read once. */
export const noticedAtOnce: ReadonlySet<string> = new Set<FalseAnswer>([
  'far-dates',
  'secret-fields',
  'unreadable-time',
  'wrong-settings-types',
  'double-ids',
])

/** Lists in pages by the detail of a spell. */
export const feedOf = (detail: number) => (['users', 'documents', 'api-clients'] as const)[detail % 3] ?? 'users'

const bySix: readonly ResourceName[] = [
  'users',
  'documents',
  'api-clients',
  'roles',
  'permissions',
  'authentication-settings',
]

/** One resource by the detail of a spell. */
export const resourceOfDetail = (detail: number): ResourceName => bySix[detail % bySix.length] ?? 'users'

/** Faults of one request. */
export const requestFaults = [
  'network',
  'stale-connection',
  'timeout',
  'server-error',
  'short-wait',
  'long-wait',
  'denied-once',
  'not-json',
  'cut-json',
  'no-envelope',
  'null-data',
  'error-in-success',
  'no-pagination',
  'odd-has-more',
  'more-without-cursor',
  'repeated-cursor',
  'repeated-page',
  'empty-page',
  'empty-clients',
  'cursor-refused',
  'malformed-record',
  'unreadable-id',
  'wrong-record',
  'crossed-tenant',
  'list-not-found',
] as const

/** Faults that pass every check of a page and spoil one record; a storm has them more often than by their number. */
const recordFaults = ['malformed-record', 'malformed-record', 'unreadable-id'] as const

export type RequestFault = (typeof requestFaults)[number]

/** Temporary faults of the tenant. */
export const spells = ['dead-token', 'missing-permission', 'swapped-token', 'outage', ...falseAnswers] as const

const refusals = spells.filter((name) => !falseAnswers.some((one) => one === name))

/** Without the one that pages of users and documents may pass by chance, which is there to be looked at alone. */
const certainlyNoticed = falseAnswers.filter((name) => name !== 'mixed-tenants')

export type Spell = (typeof spells)[number]

interface Storm {
  readonly until: number
  readonly chance: number
  readonly kinds: readonly RequestFault[]
}

/** Decides, at random, which faults come when: quiet times, storms of a few kinds of faults, and spells. */
export class Weather {
  readonly #time: VirtualTime
  readonly #prng: Prng
  /** The one fault there is; null for all. */
  readonly only: string | null
  readonly #spells = new Map<Spell, { readonly from: number; readonly until: number; readonly detail: number }>()
  readonly #storms: Storm[] = []
  readonly counts = new Map<string, number>()

  /** @param only the one fault there is; null for all. */
  constructor(time: VirtualTime, prng: Prng, only: string | null = null) {
    this.#time = time
    this.#prng = prng
    this.only = only
  }

  /** Draws the weather of the coming `ms`. `settled`: every resource was read once, so that another tenant shows. */
  forecast(ms: number, settled: boolean): void {
    const prng = this.#prng
    if (this.only !== null) {
      this.#forecastOnly(ms, settled)
      return
    }
    const from = this.#time.now + prng.between(0, ms)
    if (prng.chance(0.45)) {
      const kinds = Array.from({ length: prng.between(1, 4) }, () =>
        prng.chance(0.25) ? prng.pick(recordFaults) : prng.pick(requestFaults),
      )
      const storm = { until: from + prng.between(1, 30) * minuteMs, chance: prng.pick([0.05, 0.2, 0.5, 0.9]), kinds }
      this.#time.at(from, () => void this.#storms.push(storm))
    }
    if (prng.chance(0.1)) this.#cast(prng.pick(refusals), from, prng.between(1, 90) * minuteMs, settled)
    if (prng.chance(0.15)) this.#cast(prng.pick(certainlyNoticed), from, prng.between(10, 120) * minuteMs, settled)
  }

  #forecastOnly(ms: number, settled: boolean): void {
    const prng = this.#prng
    const from = this.#time.now + prng.between(0, ms)
    const spell = spells.find((name) => name === this.only)
    const fault = requestFaults.find((name) => name === this.only)
    if (spell !== undefined && !this.has(spell) && prng.chance(0.5)) {
      this.#cast(spell, from, prng.between(10, 120) * minuteMs, settled)
    }
    if (fault !== undefined && prng.chance(0.5)) {
      const storm = { until: from + prng.between(1, 30) * minuteMs, chance: prng.pick([0.2, 0.9]), kinds: [fault] }
      this.#time.at(from, () => void this.#storms.push(storm))
    }
  }

  #cast(spell: Spell, from: number, ms: number, settled: boolean): void {
    if (!settled && !refusals.some((name) => name === spell && name !== 'swapped-token') && !noticedAtOnce.has(spell))
      return
    const detail = this.#prng.between(0, 29)
    this.#time.at(from, () => {
      this.note(spell)
      this.#spells.set(spell, { from, until: from + ms, detail })
    })
  }

  /** World time at which a spell began that is on; null while it is not. */
  since(spell: Spell): number | null {
    return this.has(spell) ? (this.#spells.get(spell)?.from ?? null) : null
  }

  /** Nothing of the tenant can be reached for so many milliseconds from now. */
  darken(ms: number): void {
    this.#spells.set('outage', { from: this.#time.now, until: this.#time.now + ms, detail: 0 })
  }

  /** True for a fault that may happen in this life at all. */
  allows(name: string): boolean {
    return this.only === null || this.only === name
  }

  has(spell: Spell): boolean {
    return (this.#spells.get(spell)?.until ?? 0) > this.#time.now
  }

  /** The target of a spell among several. */
  detail(spell: Spell): number {
    return this.#spells.get(spell)?.detail ?? 0
  }

  /** The fault that befalls the next request, null for none. */
  strike(prng: Prng): RequestFault | null {
    for (const { until, chance, kinds } of this.#storms) {
      if (until <= this.#time.now || !prng.chance(chance)) continue
      return prng.pick(kinds)
    }
    return null
  }

  /** The sun comes out for good. */
  clear(): void {
    this.#storms.length = 0
    this.#spells.clear()
  }

  /** A stated wait: short ones are waited for, long ones end the run (docs/internals/sync.md#14-waits). */
  statedWait(fault: 'short-wait' | 'long-wait', prng: Prng): number {
    return (fault === 'short-wait' ? prng.between(1, 30) : prng.between(31, 5400)) * secondMs
  }

  note(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
}
