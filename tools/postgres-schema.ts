import { type SQL, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  type ExtraConfigColumn,
  index,
  type PgColumn,
  pgTable,
  primaryKey,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../src/store/schema/index.ts'

/** Text in byte order, as in SQLite. */
const text = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Processes that write to the database; its clock decides whether one is alive. */
const replicas = pgTable('replicas', {
  id: text('id').primaryKey(),
  until: timestamp('until', { withTimezone: true }).notNull(),
  /** A command that works without replicas beside it. */
  alone: boolean('alone').notNull(),
  /** Digest of the names of its tenants; replicas with the same digest share the tenants. */
  tenants: text('tenants').notNull(),
})

/** Which process may write a tenant; its clock decides whether a lease has lapsed. */
const leases = pgTable(
  'leases',
  {
    tenantId: bigint('tenant_id', { mode: 'number' }).primaryKey(),
    owner: text('owner'),
    epoch: bigint('epoch', { mode: 'number' }).notNull(),
    until: timestamp('until', { withTimezone: true }).notNull(),
    /** Since when the tenant has this owner, or none. */
    since: timestamp('since', { withTimezone: true }).notNull(),
  },
  // With `epoch` in a key, a new owner waits for transactions of the last one, and a renewal does not.
  (table) => [uniqueIndex('leases_epoch').on(table.tenantId, table.epoch)],
)

/** The mirror's tables with SQLite's names, columns, keys and indexes, from which drizzle-kit makes migrations. */
export const tables = {
  ...Object.fromEntries(Object.values(schema).map((table) => [getTableConfig(table).name, derived(table)])),
  replicas,
  leases,
}

function derived(table: SQLiteTable) {
  const { name, columns, indexes, primaryKeys } = getTableConfig(table)
  return pgTable(name, Object.fromEntries(columns.map((column) => [column.name, columnOf(column)])), (own) => {
    const at = ({ name }: { readonly name: string }) => own[name] as ExtraConfigColumn & PgColumn
    return [
      ...primaryKeys.map((key) => primaryKey({ columns: key.columns.map(at) as unknown as [PgColumn, ...PgColumn[]] })),
      ...indexes.map(({ config }) => {
        const parts = config.columns.map((part) => ('queryChunks' in part ? part : inOrder(at(part))))
        const built = (config.unique ? uniqueIndex : index)(config.name).on(...(parts as [SQL, ...SQL[]]))
        return config.where === undefined ? built : built.where(config.where)
      }),
    ]
  })
}

/** SQLite sorts nulls first. */
function inOrder(column: ExtraConfigColumn & PgColumn) {
  return column.notNull ? column : column.nullsFirst()
}

function columnOf(column: SQLiteColumn) {
  const { name, dataType, primary, notNull, hasDefault, isUnique } = column
  const isInteger = dataType === 'number' || dataType === 'boolean'
  const plain = isInteger ? bigint(name, { mode: 'number' }) : dataType === 'buffer' ? bytes(name) : text(name)
  const unique = isUnique ? plain.unique() : plain
  if (primary && isInteger) {
    const key = bigint(name, { mode: 'number' })
    return key.primaryKey().generatedByDefaultAsIdentity()
  }
  if (primary) return plain.primaryKey()
  const stated = notNull ? unique.notNull() : unique
  return hasDefault ? stated.default(sql.raw(literal(column.default))) : stated
}

function literal(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(Number(value))
  return `'${typeof value === 'string' ? value : JSON.stringify(value)}'`
}
