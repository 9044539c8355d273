import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import { readStored } from '../../model/errors.ts'
import { type Db, type Sql, writeWhereDue } from '../db/db.ts'
import { appendEvents, lastErasure, lastEvent } from '../event-store.ts'
import { sharedChain } from '../events.ts'
import { fromJson } from '../rows.ts'

/** Times are milliseconds since the epoch. */
export interface NotedConfiguration {
  readonly at: number
  readonly digest: string
  readonly content: string
}

export interface RecordBounds {
  /** When a configuration was first stored; earlier ones are unknown. Null = never. */
  readonly begins: number | null
  /** Rows that ended before this time were erased; null = none. */
  readonly erasedBefore: number | null
}

/** Facts behind the data quality of a tenant, besides ages and counts. */
export interface TenantState {
  /** Holds, clocks, refusals and data warnings. */
  readonly state: object
  /** Hash of the configuration in force, so that the tenant's chain covers that, too; null = none was recorded. */
  readonly configuration: string | null
}

/** `content`: deflated, in base64, because the configuration of a thousand tenants has megabytes. */
interface ConfigurationData {
  readonly digest: string
  readonly content: string
}

export function toConfiguration({ at, data }: { readonly at: number; readonly data: string }): NotedConfiguration {
  return readStored('recorded configuration', () => {
    const { digest, content } = fromJson(data) as ConfigurationData
    return { at, digest, content: inflateRawSync(Buffer.from(content, 'base64')).toString() }
  })
}

/** Runs in another thread. */
const deflated = async (content: string) => (await promisify(deflateRaw)(content)).toString('base64')

export function configurationLog(db: Db) {
  const begins = `select at from events where tenant_id = ${sharedChain} and kind = 'configuration' order by id limit 1`

  return {
    /** Records the configuration if it differs from the last one. */
    async noteConfiguration({ at, digest, content }: NotedConfiguration): Promise<void> {
      const last = await db.read((tx) => lastEvent(tx, sharedChain, 'configuration'))
      if (last !== undefined && (fromJson(last.data) as ConfigurationData).digest === digest) return
      const data: ConfigurationData = { digest, content: await deflated(content) }
      await db.write((tx) => appendEvents(tx, sharedChain, [{ kind: 'configuration', subject: '', at, data }]))
    },
    /** @param text the facts behind the tenant's data quality, as JSON. */
    noteTenantState: (tenantId: number, text: string, at: number): Promise<void> =>
      writeWhereDue(db, async (tx) => {
        const { hash = null } = (await lastEvent(tx, sharedChain, 'configuration')) ?? {}
        const data: TenantState = { state: fromJson(text) as object, configuration: hash }
        if ((await lastEvent(tx, tenantId, 'tenant.state'))?.data === JSON.stringify(data)) return null
        return (tx: Sql) => appendEvents(tx, tenantId, [{ kind: 'tenant.state', subject: '', at, data }])
      }),
    /** Of the history of these tenants together, with their configuration. */
    recordBounds: (tenantIds: readonly number[]): Promise<RecordBounds> =>
      db.read(async (tx) => {
        const [at = null] = await tx<number>(begins, [], 'values')
        let erasedBefore: number | null = null
        for (const tenantId of [sharedChain, ...tenantIds]) {
          const { before = erasedBefore } = (await lastErasure(tx, tenantId)) ?? {}
          if (before !== null) erasedBefore = Math.max(before, erasedBefore ?? before)
        }
        return { begins: at, erasedBefore }
      }),
  }
}
