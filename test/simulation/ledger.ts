import type { ResourceName } from '../../src/model/resource-names.ts'
import { StatedWaits } from './stated-waits.ts'
import { WireLog } from './wire-log.ts'

/** What really went over the wire, for the oracle; times are the world's. */
export class Ledger {
  readonly #shown = new Map<string, number>()
  readonly #denied = new Map<string, number>()
  /** Records that were shown in a form that cannot be trusted. */
  readonly malformed = new Set<string>()
  /** Broken promises of silence, one a request sent too early. */
  readonly tooEarly: string[] = []
  readonly waits = new StatedWaits()
  readonly wire = new WireLog()
  requests = 0
  answers = 0

  show(resource: ResourceName, id: string, at: number): void {
    this.#shown.set(`${resource} ${id}`, at)
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
