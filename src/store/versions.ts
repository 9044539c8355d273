import type { ResourceName } from '../model/resource-names.ts'

/** Records and findings that a transaction may change; `acceptances` = facts of findings that waivers accept. */
export type Change =
  | 'acceptances'
  | 'everything'
  | 'nothing'
  | { readonly tenantId: number; readonly resource: ResourceName }
  | { readonly tenantId: number; readonly check: string }

export type Changes = Change | readonly Change[]

/** Counters of changes, in memory, because only this process's engine writes records and findings. */
export interface Versions {
  ofRecords(tenantId: number, resource: ResourceName): number
  ofFindings(tenantId: number, check: string): number
}

export class ChangeVersions implements Versions {
  readonly #ofOne = new Map<string, number>()
  #ofRecords = 0
  #ofFindings = 0

  ofRecords(tenantId: number, resource: ResourceName): number {
    return this.#ofRecords + (this.#ofOne.get(changeKey({ tenantId, resource })) ?? 0)
  }

  ofFindings(tenantId: number, check: string): number {
    return this.#ofFindings + (this.#ofOne.get(changeKey({ tenantId, check })) ?? 0)
  }

  /** Call in the same turn of the event loop as the end of the transaction. */
  note(changes: Changes): void {
    for (const change of changesIn(changes)) {
      if (change === 'everything') this.#ofRecords++
      if (change === 'everything' || change === 'acceptances') this.#ofFindings++
      else if (change !== 'nothing') {
        const key = changeKey(change)
        this.#ofOne.set(key, (this.#ofOne.get(key) ?? 0) + 1)
      }
    }
  }
}

function changesIn(changes: Changes): readonly Change[] {
  return typeof changes === 'object' && 'length' in changes ? changes : [changes]
}

/** Key of a change: counts and revisions belong to a resource of a tenant, findings to a check. */
export function changeKey(change: Exclude<Change, string>): string {
  return `${change.tenantId} ${'check' in change ? `check ${change.check}` : `resource ${change.resource}`}`
}
