import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { severities } from '../../model/severity.ts'
import { decode, oneOf } from '../records/record-codec.ts'
import { parseChange, recordReaders, type StoredChange } from '../records/record-reader.ts'
import { columnOf, type RecordTable, recordTables, type Stored } from '../records/record-tables.ts'
import type { Written } from '../records/record-writer.ts'
import { isIn, listOf } from '../sql.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import type { ChangeFilter, EvidenceStore, FindingEventRow, TenantChangeRow } from './evidence-port.ts'

const batchSize = 500
const kinds = ['opened', 'changed', 'resolved', 'reopened'] as const

interface StoredEvent extends Omit<FindingEventRow, 'kind' | 'severity' | 'evidence'> {
  readonly kind: string
  readonly severity: string
  readonly evidence: string
}

/** Bounds the search for the last changes: the table has no index by tenant and time. */
const mostLookedAt = 50_000

const changeColumns = `c.id, t.name as tenant, c.resource, c.key, c.at, c.kind, c.field, c.before, c.after,
  c.request_id as "requestId"`

export function historyStore(
  database: Database,
  settle: () => Promise<void>,
): Operations<
  Pick<EvidenceStore, 'findingEvents' | 'fingerprintsFrom' | 'record' | 'changes' | 'hasEntity' | 'latestChanges'>
> {
  const { raw } = database
  const readers = recordReaders(database)
  const events = raw.prepare<[string], StoredEvent>(
    `select at, kind, severity, message, evidence, resolution from finding_events where fingerprint = ? order by id`,
  )
  const beginning = raw
    .prepare<[string, string, number], string>(
      'select fingerprint from findings where fingerprint >= ? and fingerprint < ? order by fingerprint limit ?',
    )
    .pluck()
  const latest = raw.prepare<[number, number], StoredChange<TenantChangeRow>>(
    `select ${changeColumns} from changes c join tenants t on t.id = c.tenant_id
     where c.id > (select max(id) from changes) - ${mostLookedAt} and +c.tenant_id = ? order by c.id desc limit ?`,
  )
  async function* read(filter: ChangeFilter) {
    const { text, values } = conditionsOf(filter)
    const select = raw.prepare<unknown[], StoredChange<TenantChangeRow>>(
      `select ${changeColumns} from changes c join tenants t on t.id = c.tenant_id
       where c.id > ? ${text} order by c.id limit ${batchSize}`,
    )
    for (let after = 0; ; ) {
      const rows = select.all(after, ...values)
      if (rows.length === 0) return
      yield rows.map(toChange)
      after = rows.at(-1)?.id ?? after
      await yieldToEventLoop()
    }
  }

  return {
    findingEvents: (fingerprint) =>
      database.run(async () => {
        await settle()
        return events.all(fingerprint).map((row) => ({
          ...row,
          kind: oneOf(kinds, row.kind),
          severity: oneOf(severities, row.severity),
          evidence: JSON.parse(row.evidence) as Record<string, unknown>,
        }))
      }),
    fingerprintsFrom: (prefix, most) =>
      database.run(async () => {
        await settle()
        return beginning.all(prefix, `${prefix}\u{10ffff}`, most)
      }),
    latestChanges: (tenantId, most) =>
      database.run(async () => {
        await settle()
        return latest.all(tenantId, most).map(toChange)
      }),
    record: (tenantId, resource, key) =>
      database.run(async () => {
        const { key: field, keyOf } = recordTables[resource]
        const found = readers(tenantId).select(resource, { all: [{ field, is: keyOf(key) }] })
        for await (const [record] of found) return record ?? null
        return null
      }),
    hasEntity: ({ tenantId = null, resources, key }) =>
      database.run(() => {
        return tablesOf(resources).some((record) => {
          const { resource, table, keyOf } = record
          const find = raw.prepare(
            `select 1 from tenants t where (cast(@tenantId as bigint) is null or t.id = @tenantId) and (
             exists (select 1 from "${getTableName(table)}" where tenant_id = t.id and ${columnOf(record, record.key)} = @key)
             or exists (select 1 from quarantine where tenant_id = t.id and resource = @resource and key = @text)
             or exists (select 1 from changes where tenant_id = t.id and resource = @resource and key = @text))`,
          )
          return find.get({ tenantId, resource, key: keyOf(key), text: String(keyOf(key)) }) !== undefined
        })
      }),
    changes: (filter) => database.each(read(filter)),
  }
}

const soleResources: ReadonlySet<string> = new Set(
  Object.values(recordTables).flatMap(({ resource, idField }) => (idField === null ? [resource] : [])),
)

/** A singleton matches every id, so its resource must be named. */
function tablesOf(resources: ChangeFilter['resources']): readonly RecordTable[] {
  return Object.values(recordTables).filter(
    ({ resource, idField }) => resources?.includes(resource) ?? idField !== null,
  )
}

function conditionsOf({ tenantId, resources, key, field, since, until }: ChangeFilter) {
  const parts: (readonly [string, unknown])[] = []
  if (tenantId !== undefined) parts.push(['c.tenant_id = ?', tenantId])
  if (resources !== undefined) parts.push([isIn('c.resource'), listOf(resources)])
  if (key !== undefined) {
    const keys = tablesOf(resources).map(({ keyOf }) => String(keyOf(key)))
    parts.push([isIn('c.key'), listOf([key, ...keys])])
  }
  if (field !== undefined) parts.push(['c.field = ?', field])
  if (since !== undefined) parts.push(['c.at >= ?', since])
  if (until !== undefined) parts.push(['c.at <= ?', until])
  return { text: parts.map(([text]) => `and ${text}`).join(' '), values: parts.map(([, value]) => value) }
}

/** A singleton's key is the name of its resource, as in findings. */
function toChange(row: StoredChange<TenantChangeRow>): TenantChangeRow {
  return { ...parseChange(row), key: soleResources.has(row.resource) ? row.resource : row.key }
}

export interface ChangeContext {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

/** Call inside the transaction that changes the records. */
export interface ChangeLog {
  written(table: RecordTable, key: string | number, written: Written, context: ChangeContext): void
  noted(table: RecordTable, key: string | number, kind: 'created' | 'removed', context: ChangeContext): void
}

export function changeLog({ raw }: Database): ChangeLog {
  const insert = raw.prepare(
    `insert into changes (tenant_id, resource, key, at, kind, field, before, after, request_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const asJson = (table: RecordTable, field: string, value: Stored | undefined): string =>
    JSON.stringify(decode(table.fields[field] ?? 'json', value ?? null))

  return {
    noted(table, key, kind, { tenantId, at, requestId }) {
      insert.run(tenantId, table.resource, String(key), at, kind, null, null, null, requestId)
    },
    written(table, key, { kind, before, after, fields }, { tenantId, at, requestId }) {
      if (before === null || after === null) return
      if (kind === 'returned') insert.run(tenantId, table.resource, String(key), at, kind, null, null, null, requestId)
      for (const field of fields) {
        if (table.isHistory?.(field, before) === false) continue
        const values = [asJson(table, field, before[field]), asJson(table, field, after[field])]
        insert.run(tenantId, table.resource, String(key), at, 'changed', field, ...values, requestId)
      }
    },
  }
}
