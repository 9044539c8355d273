import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { eventAppender, sharedChain } from '../event-store.ts'
import { fromJson } from '../words.ts'
import { writeWhereDue } from '../write-where-due.ts'
import type { EvidenceStore } from './evidence-port.ts'

/** Facts behind the data quality of a tenant, besides ages and counts. */
export interface TenantState {
  /** Holds, clocks, refusals and data warnings. */
  readonly state: object
  /** Hash of the configuration in force, so that the tenant's chain covers that, too; null = none was recorded. */
  readonly configuration: string | null
}

export function tenantStates(database: Database): Pick<EvidenceStore, 'noteTenantState'> {
  const append = eventAppender(database)
  const last = database.prepareValues<[number], string>(
    `select data from events where tenant_id = ? and kind = 'tenant.state' and subject = '' order by id desc limit 1`,
  )
  const configuration = database.prepareValues<[], string>(
    `select hash from events where tenant_id = ${sharedChain} and kind = 'configuration' and subject = '' order by id desc limit 1`,
  )
  return {
    noteTenantState: (tenantId, text, at) =>
      writeWhereDue(database, 'nothing', async (tx) => {
        const state = fromJson(text) as object
        const data: TenantState = { state, configuration: (await configuration.get(tx)) ?? null }
        if ((await last.get(tx, tenantId)) === JSON.stringify(data)) return null
        return (tx: Sql) => append(tx, tenantId, [{ kind: 'tenant.state', subject: '', at, data }])
      }),
  }
}
