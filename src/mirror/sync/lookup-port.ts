import type { ResourceName } from '../../model/resource-names.ts'

/** A record to be asked for by id. */
export interface LookUp {
  readonly rid: number
  readonly key: number
}

/** A missing record. */
export interface MissingRecord extends LookUp {
  /** Complete full syncs in a row that did not show it. */
  readonly fullSyncs: number
}

export interface MissingQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  /** Only those whose removal an operator accepted. */
  readonly onlyAccepted: boolean
}

export interface DetailQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  /**
   * Only those without a known detail that were created or changed since (milliseconds since the epoch); null means all:
   * first those without one that were not asked for yet, then those with an ambiguous value, then the rest, asked
   * longest ago first. Those asked in vain have half of what the first leave, and what nobody else wants.
   */
  readonly changedSince: number | null
  /** Values that say too little of the detail, of the field that it hangs on. */
  readonly ambiguous: readonly string[]
}

/** Who is asked for by id next. */
export interface LookUpStore {
  /** Missing records to be asked for by id, those asked longest ago first. */
  missing(query: MissingQuery): Promise<readonly MissingRecord[]>
  /** Records whose details should be read next, most urgent first; missing ones are asked for elsewhere. */
  detailCandidates(query: DetailQuery): Promise<readonly LookUp[]>
  /** Records that the last complete full sync showed, those asked longest ago first. */
  listed(tenantId: number, resource: ResourceName, limit: number): Promise<readonly LookUp[]>
  /** To be called before a record is asked for by id: it comes last now, whatever the answer will be. */
  noteAsked(tenantId: number, resource: ResourceName, rid: number): Promise<void>
  /**
   * To be called for a missing record that exists: it is missing no longer and keeps its values. Until a list shows it
   * again its absences are still counted, and no finding of it resolves.
   */
  noteExists(tenantId: number, resource: ResourceName, rid: number): Promise<void>
}
