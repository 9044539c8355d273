import type { TenantSettings } from '../config/settings.ts'
import type { RecordReader } from '../mirror/records/query.ts'
import type { FamilyDefinition, Sample } from './family.ts'

export interface InventoryContext {
  readonly settings: Pick<TenantSettings, 'documents' | 'ownClientId'>
  /** True once a complete full sync of the resource exists; until then a count of it would be half a picture. */
  readonly complete: boolean
  /** Ids of the entities whose open finding of a check is accepted by a waiver now. */
  readonly waived: (check: string) => Promise<ReadonlySet<string>>
}

/**
 * A gauge that states a fact of the tenant, read from the mirror at each scrape. `read` gives no sample for what was
 * never read; the label `tenant` is put before the others by the caller.
 */
export interface InventoryGauge extends FamilyDefinition {
  read(reader: RecordReader, context: InventoryContext): Promise<readonly Sample[]>
}
