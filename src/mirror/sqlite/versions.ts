import type { ResourceName } from '../../model/resource-names.ts'

/**
 * What a transaction may change of the mirrored records and of the findings: those of one resource or of one check, what
 * waivers accept of the findings (`acceptances`), `everything`, or `nothing` of either.
 */
export type Change =
  | 'acceptances'
  | 'everything'
  | 'nothing'
  | { readonly tenantId: number; readonly resource: ResourceName }
  | { readonly tenantId: number; readonly check: string }

/** Numbers that grow with each change. They live in memory: only the engine of this process writes records and findings. */
export class Versions {
  readonly #ofOne = new Map<string, number>()
  #ofRecords = 0
  #ofFindings = 0

  ofRecords(tenantId: number, resource: ResourceName): number {
    return this.#ofRecords + (this.#ofOne.get(`${tenantId} resource ${resource}`) ?? 0)
  }

  ofFindings(tenantId: number, check: string): number {
    return this.#ofFindings + (this.#ofOne.get(`${tenantId} check ${check}`) ?? 0)
  }

  /** To be called in the same turn of the event loop as the end of the transaction. */
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
