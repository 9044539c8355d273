import { type SQL, sql } from 'drizzle-orm'
import { index, integer, type SQLiteColumn, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Field } from '../../model/fields.ts'
import type { OwnColumn, ResourceDefinition } from '../../model/resource.ts'
import { resources } from '../../resources/index.ts'

/** Times are in milliseconds since the epoch. */
const common = () => ({
  rid: integer('rid').primaryKey(),
  tenantId: integer('tenant_id').notNull(),
  extra: text('extra'),
  firstSeenAt: integer('first_seen_at').notNull(),
  firstRequestId: text('first_request_id'),
  readAt: integer('read_at').notNull(),
  requestId: text('request_id'),
  removedAt: integer('removed_at'),
  /** Since when complete full syncs no longer return the record, whose removal is not confirmed. */
  missingSince: integer('missing_since'),
  /** Turn of the last look-up; null is next, then the lowest. */
  lookupTurn: integer('lookup_turn'),
  absentFullSyncs: integer('absent_full_syncs').notNull().default(0),
})

export const mirrored = Object.fromEntries(resources.map((resource) => [tableNameOf(resource), tableOf(resource)]))

export function tableNameOf({ name }: Pick<ResourceDefinition, 'name'>): string {
  return name.replaceAll('-', '_')
}

function tableOf(resource: ResourceDefinition) {
  const name = tableNameOf(resource)
  const columns = Object.fromEntries([...keyColumns(resource), ...fieldColumns(resource), ...ownColumns(resource)])
  return sqliteTable(name, { ...common(), ...columns }, (table) => {
    const at = (property: string): SQLiteColumn => {
      const column = (table as Readonly<Record<string, SQLiteColumn>>)[property]
      if (column === undefined) throw new TypeError(`${name} has no column for ${property}`)
      return column
    }
    const over = (suffix: string, where: SQL, ...parts: readonly (string | SQL)[]) => {
      const list = parts.map((part) => (typeof part === 'string' ? at(part) : part))
      return index(`${name}_${suffix}`)
        .on(table.tenantId, ...list)
        .where(where)
    }
    const live = sql`removed_at is null`
    const declared = Object.entries(resource.indexes ?? {}).map(([suffix, parts]) => over(suffix, live, ...parts))
    const byKey = uniqueIndex(`${name}_key`).on(table.tenantId, at(resource.key))
    if (resource.kind !== 'feed') return [byKey, ...declared]
    if (resource.lookUp === undefined) return [byKey, ...declared, over('absent', sql`absent_full_syncs > 0`)]
    const stated = snakeCase(resource.lookUp.states)
    // A live record is in one of the two indexes, so that a first full sync writes one index less.
    const unread = sql.raw(`${stated} is null and removed_at is null`)
    const read = sql.raw(`${stated} is not null and removed_at is null`)
    return [
      byKey,
      ...declared,
      over('unread', unread, 'lookupTurn', sql`read_at desc`),
      over('lookup', read, 'lookupTurn', resource.key),
      over('missing', sql`missing_since is not null`, 'lookupTurn'),
    ]
  })
}

type Columns = [property: string, column: ReturnType<typeof columnFor>][]

/** Column for a GUID in lower case, or for the key of a singleton, which is always 0. */
function keyColumns({ key, idField }: ResourceDefinition): Columns {
  return key === idField ? [] : [[key, columnFor(key, idField === null ? 'integer' : 'text', true)]]
}

function fieldColumns({ fields }: ResourceDefinition): Columns {
  return Object.entries(fields).flatMap(([name, field]): Columns => {
    const column = columnFor(name, typeOf(field), isNeverNull(field))
    if (field.kind !== 'date') return [[name, column]]
    return [
      [name, column],
      [`${name}Ms`, columnFor(`${name}Ms`, 'integer', isNeverNull(field))],
    ]
  })
}

function ownColumns({ own = {} }: ResourceDefinition): Columns {
  return Object.entries<OwnColumn>(own).map(([name, { rule }]) => [
    name,
    columnFor(name, 'integer', rule !== 'readById'),
  ])
}

function columnFor(property: string, type: 'integer' | 'text', neverNull: boolean) {
  const column = type === 'integer' ? integer(snakeCase(property)) : text(snakeCase(property))
  return neverNull ? column.notNull() : column
}

function typeOf({ kind }: Field): 'integer' | 'text' {
  return kind === 'integer' || kind === 'flag' ? 'integer' : 'text'
}

/** Erasure sets personal fields of tombstones to null. */
function isNeverNull({ strict, nullable, optional, personal }: Field): boolean {
  return strict === true && nullable === undefined && optional !== true && personal !== true
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
