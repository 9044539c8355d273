import type { ResourceName } from '../model/resource-names.ts'
import type { CheckOutcome } from './check-outcome.ts'

interface Remembered {
  readonly basis: string
  readonly outcome: CheckOutcome
  readonly at: number
}

/** Results of this process: a check is evaluated again when its basis changes or the time comes. */
export class ResultMemory {
  readonly #results = new Map<string, Remembered>()
  readonly #counted = new Map<string, number>()

  /** @param basis identifies all inputs except the time. */
  recall(tenantId: number, check: string, basis: string, now: number): CheckOutcome | undefined {
    const last = this.#results.get(`${tenantId} ${check}`)
    if (last?.basis !== basis || now < last.at) return undefined
    return now < (last.outcome.changesAt ?? Number.POSITIVE_INFINITY) ? last.outcome : undefined
  }

  keep(tenantId: number, basis: string, outcome: CheckOutcome, at: number): void {
    const unchanged = { ...outcome, opened: 0, resolved: {}, transitions: [], lapsed: [] }
    this.#results.set(`${tenantId} ${outcome.check}`, { basis, outcome: unchanged, at })
  }

  forget(tenantId: number, check: string): void {
    this.#results.delete(`${tenantId} ${check}`)
  }

  /** True if the records of this version of the data were counted. */
  isCounted(tenantId: number, resource: ResourceName, version: number): boolean {
    return this.#counted.get(`${tenantId} ${resource}`) === version
  }

  keepCounted(tenantId: number, resource: ResourceName, version: number): void {
    this.#counted.set(`${tenantId} ${resource}`, version)
  }
}
