import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import { readStored } from '../../model/errors.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { eventAppender, sharedChain } from '../event-store.ts'
import { fromJson } from '../words.ts'
import { writeWhereDue } from '../write-where-due.ts'

/** Times are milliseconds since the epoch. */
export interface NotedConfiguration {
  readonly at: number
  readonly digest: string
  readonly content: string
}

/** The configuration of a tenant as JSON, for the views of PostgreSQL. */
export interface ConfiguredTenant {
  readonly tenant: string
  readonly resources: string
  readonly checks: string
  readonly waivers: string
}

export interface NewConfiguration extends NotedConfiguration {
  /** Tenants in force; absent = none. */
  readonly tenants?: readonly ConfiguredTenant[]
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

export interface StoredConfiguration {
  readonly id: number
  readonly at: number
  readonly data: string
}

/** `content`: deflated, in base64, because the configuration of a thousand tenants has megabytes. */
interface ConfigurationData {
  readonly digest: string
  readonly content: string
}

export function toConfiguration({ at, data }: StoredConfiguration): NotedConfiguration {
  return readStored('recorded configuration', () => {
    const { digest, content } = fromJson(data) as ConfigurationData
    return { at, digest, content: inflateRawSync(Buffer.from(content, 'base64')).toString() }
  })
}

/** Runs in another thread. */
const deflated = async (content: string) => (await promisify(deflateRaw)(content)).toString('base64')

/** Configurations that are not erased. */
export const ofConfigurations = `tenant_id = ${sharedChain} and kind = 'configuration' and subject = '' and data is not null`

export function configurationLog(database: Database) {
  const append = eventAppender(database)
  const next = database.prepare<[number], StoredConfiguration>(
    `select id, at, data from events where ${ofConfigurations} and id > ? order by id limit 1`,
  )
  const last = database.prepareValues<[], string>(
    `select data from events where ${ofConfigurations} order by id desc limit 1`,
  )
  const configured = database.prepareValues<[], number>('select count(*) from configured_tenants')
  const clearConfigured = database.prepare('delete from configured_tenants')
  const insertConfigured = database.prepare(
    'insert into configured_tenants (tenant, resources, checks, waivers) values (?, ?, ?, ?)',
  )
  const bounds = database.prepare<[], { begins: number | null; erased: string | null }>(
    `select (select at from events where tenant_id = ${sharedChain} and kind = 'configuration' and subject = '' order by id limit 1) as begins,
       (select data from events where tenant_id = ${sharedChain} and kind = 'history.erased' and subject = '' order by id desc limit 1) as erased`,
  )

  const lastState = database.prepareValues<[number], string>(
    `select data from events where tenant_id = ? and kind = 'tenant.state' and subject = '' order by id desc limit 1`,
  )
  const lastHash = database.prepareValues<[], string>(
    `select hash from events where tenant_id = ${sharedChain} and kind = 'configuration' and subject = '' order by id desc limit 1`,
  )

  /** Oldest first. */
  async function* configurations(): AsyncGenerator<NotedConfiguration> {
    for (let after = 0; ; ) {
      const row = await database.read((tx) => next.get(tx, after))
      if (row === undefined) return
      yield toConfiguration(row)
      after = row.id
      await yieldToEventLoop()
    }
  }

  return {
    configurations,
    /** Records the configuration if it differs from the last one, and replaces the configured tenants. */
    async noteConfiguration({ at, digest, content, tenants = [] }: NewConfiguration): Promise<void> {
      const { data, known } = await database.read(async (tx) => {
        return { data: await last.get(tx), known: await configured.get(tx) }
      })
      const isSame = data !== undefined && (fromJson(data) as ConfigurationData).digest === digest
      if (isSame && known === tenants.length) return
      const packed = isSame ? null : await deflated(content)
      await database.write('nothing', async (tx) => {
        await clearConfigured.run(tx)
        for (const { tenant, resources, checks, waivers } of tenants)
          await insertConfigured.run(tx, tenant, resources, checks, waivers)
        if (packed === null) return
        const stored: ConfigurationData = { digest, content: packed }
        await append(tx, sharedChain, [{ kind: 'configuration', subject: '', at, data: stored }])
      })
    },
    /** @param text the facts behind the tenant's data quality, as JSON. */
    noteTenantState: (tenantId: number, text: string, at: number): Promise<void> =>
      writeWhereDue(database, 'nothing', async (tx) => {
        const state = fromJson(text) as object
        const data: TenantState = { state, configuration: (await lastHash.get(tx)) ?? null }
        if ((await lastState.get(tx, tenantId)) === JSON.stringify(data)) return null
        return (tx: Sql) => append(tx, tenantId, [{ kind: 'tenant.state', subject: '', at, data }])
      }),
    recordBounds: (): Promise<RecordBounds> =>
      database.read(async (tx) => {
        const { begins = null, erased = null } = (await bounds.get(tx)) ?? {}
        return { begins, erasedBefore: erased === null ? null : (fromJson(erased) as { before: number }).before }
      }),
  }
}
