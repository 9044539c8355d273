import type { ResourceName } from '../model/resource-names.ts'
import type { Change, Versions } from './database.ts'

/** Counters of changes, in memory: only the engine of this process writes records and findings. */
export class ChangeVersions implements Versions {
  readonly #ofOne = new Map<string, number>()
  #ofRecords = 0
  #ofFindings = 0

  ofRecords(tenantId: number, resource: ResourceName): number {
    return this.#ofRecords + (this.#ofOne.get(`${tenantId} resource ${resource}`) ?? 0)
  }

  ofFindings(tenantId: number, check: string): number {
    return this.#ofFindings + (this.#ofOne.get(`${tenantId} check ${check}`) ?? 0)
  }

  /** Call in the same turn of the event loop as the end of the transaction. */
  note(change: Change): void {
    if (change === 'nothing') return
    if (change === 'everything') this.#ofRecords++
    if (change === 'everything' || change === 'acceptances') this.#ofFindings++
    else {
      const kind = 'check' in change ? `check ${change.check}` : `resource ${change.resource}`
      const key = `${change.tenantId} ${kind}`
      this.#ofOne.set(key, (this.#ofOne.get(key) ?? 0) + 1)
    }
  }
}
