import type { ResourceName } from '../../src/model/resource-names.ts'
import { ServerTimes } from './server-times.ts'
import { StatedWaits } from './stated-waits.ts'
import { WireLog } from './wire-log.ts'

/** The data that went over the wire, for the oracle; times are the world's. */
export class Ledger {
  readonly #shown = new Map<string, number>()
  readonly #denied = new Map<string, number>()
  /** Records that were shown in an invalid form. */
  readonly malformed = new Set<string>()
  /** Broken promises of silence, one a request sent too early. */
  readonly tooEarly: string[] = []
  readonly waits = new StatedWaits()
  readonly wire = new WireLog()
  /** Records that a bleeding list lost although they exist: those it still does not show, and all. */
  readonly bled = new Set<string>()
  readonly everBled = new Set<string>()
  /** Records that were left out of a list, and not shown since. */
  readonly #hidden = new Set<string>()
  readonly #returned = new Map<string, { readonly at: number; readonly shownBefore: number }>()
  /** By how much a look-up of a user lagged behind the list at most, in milliseconds. */
  lagMs = 0
  /** World time of the last answer from the tenant itself. */
  answeredAt = Number.NEGATIVE_INFINITY
  /** World time at which a cache last replayed an answer of a resource. */
  readonly replays = new Map<ResourceName, number>()
  readonly times = new ServerTimes()
  requests = 0
  answers = 0

  show(resource: ResourceName, id: string, at: number): void {
    const record = `${resource} ${id}`
    if (this.#hidden.delete(record)) this.#returned.set(record, { at, shownBefore: this.shownAt(resource, id) })
    this.#shown.set(record, at)
    this.bled.delete(`${resource} ${id}`)
  }

  bleed(resource: ResourceName, id: string): void {
    this.bled.add(`${resource} ${id}`)
    this.everBled.add(`${resource} ${id}`)
  }

  hide(resource: ResourceName, id: string): void {
    this.#hidden.add(`${resource} ${id}`)
  }

  /** Of a record that was hidden at `at`: when the tenant last showed it well before; null when it was not hidden. */
  hiddenSince(resource: ResourceName, id: string, at: number): number | null {
    const record = `${resource} ${id}`
    if (this.#hidden.has(record)) return this.shownAt(resource, id)
    const returned = this.#returned.get(record)
    return returned !== undefined && returned.at > at ? returned.shownBefore : null
  }

  /** When the tenant last showed a record well; never is minus infinity. */
  shownAt(resource: ResourceName, id: string): number {
    return this.#shown.get(`${resource} ${id}`) ?? Number.NEGATIVE_INFINITY
  }

  deny(userId: string, at: number): void {
    this.#denied.set(userId, at)
  }

  /** When the tenant last answered 404 for a user. */
  deniedAt(userId: string): number {
    return this.#denied.get(userId) ?? Number.NEGATIVE_INFINITY
  }
}
