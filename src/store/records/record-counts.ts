import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Dialect, Sql } from '../db/db.ts'
import { columnOf, type RecordTable, recordTables, type Stored } from './record-tables.ts'

export type Grouping = readonly string[]

/** Grouping of live records that complete full syncs no longer return; its value is empty. */
export const missing = 'missing'

/** Counts new records of one resource of a tenant. Use inside the transaction that writes them. */
export interface Tally {
  /** @param row stored values in the order of `columns`. */
  add(row: readonly Stored[]): void
  flush(tx: Sql): Promise<void>
}

export type Tallies = (tenantId: number, resource: ResourceName, columns: readonly string[]) => Tally

export const nameOf = (grouping: Grouping) => grouping.join(',')

export function tallies(database: Database): Tallies {
  const adders = memoize((resource: ResourceName) =>
    recordTables[resource].counted.map((grouping) => ({ grouping, put: adder(database, resource, grouping) })),
  )
  return (tenantId, resource, columns) => {
    const groups = adders(resource).map(({ grouping, put }) => {
      return { put, at: grouping.map((field) => columns.indexOf(field)), tree: countTree() }
    })
    return {
      add(row) {
        for (const { at, tree } of groups) tree.add(row, at)
      },
      async flush(tx) {
        for (const { put, tree } of groups) await put(tx, tenantId, tree.take())
      },
    }
  }
}

interface Count {
  readonly values: readonly Stored[]
  readonly next: Map<Stored, Count>
  records: number
}

/** Counts rows by some of their values; a concatenated key would take ten times as long. */
function countTree() {
  const node = (values: readonly Stored[]): Count => ({ values, next: new Map(), records: 0 })
  let root = node([])
  let counted: Count[] = []
  return {
    add(row: readonly Stored[], at: readonly number[]): void {
      let count = root
      for (const index of at) {
        const value = row[index] ?? null
        let next = count.next.get(value)
        if (next === undefined) {
          next = node([...count.values, value])
          count.next.set(value, next)
        }
        count = next
      }
      if (count.records++ === 0) counted.push(count)
    },
    take(): readonly Count[] {
      const taken = counted
      root = node([])
      counted = []
      return taken
    },
  }
}

type Adder = (tx: Sql, tenantId: number, counts: readonly Count[]) => Promise<void>

function adder(database: Database, resource: ResourceName, grouping: Grouping): Adder {
  const { sql } = database
  const record = recordTables[resource]
  const columns = grouping.map((field) => ({ type: storedType(record, field) }))
  const casts = columns.map(({ type }) => `cast(? as ${type === 'text' ? 'text' : 'bigint'})`)
  const put = database.prepare(adding(`values (?, '${resource}', '${nameOf(grouping)}', ${sql.jsonArray(casts)}, ?)`))
  return async (tx, tenantId, counts) => {
    for (const { values, records } of counts) await put.run(tx, tenantId, ...values, records)
  }
}

/** The database builds the key, as in the triggers: SQLite binds numbers as doubles, PostgreSQL knows no type. */
const adding = (rows: string) => `insert into record_counts (tenant_id, resource, grouping, value, count) ${rows}
  on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + excluded.count`

function storedType({ fields }: RecordTable, field: string): 'integer' | 'text' {
  return fields[field] === 'boolean' || fields[field] === 'integer' ? 'integer' : 'text'
}

function countsBy({ resource }: RecordTable, grouping: Grouping): string {
  return `record_counts where tenant_id = ? and resource = '${resource}' and grouping = '${nameOf(grouping)}'`
}

export function liveCount(record: RecordTable): string {
  const [grouping] = record.counted
  if (grouping === undefined) throw new TypeError(`The live records of ${record.resource} are not counted`)
  return `select coalesce(sum(count), 0) from ${countsBy(record, grouping)}`
}

export function missingCount({ resource }: RecordTable): string {
  return `select coalesce(sum(count), 0) from record_counts
    where tenant_id = ? and resource = '${resource}' and grouping = '${missing}'`
}

/** Queries that compute the rows of `record_counts`, one for each grouping. */
function freshCounts({ jsonArray }: Dialect) {
  return Object.values(recordTables).flatMap((record) => {
    const { resource, table, counted } = record
    const fresh = (value: string, where: string) =>
      `select tenant_id, ${value} as value, count(*) as count from "${getTableName(table)}"
       where removed_at is null ${where} group by 1, 2`
    const groupings = counted.map((grouping) => {
      const columns = grouping.map((field) => columnOf(record, field))
      return { resource, name: nameOf(grouping), rows: fresh(jsonArray(columns), '') }
    })
    return [...groupings, { resource, name: missing, rows: fresh(`'[]'`, 'and missing_since is not null') }]
  })
}

/** Queries that return a row if stored counts differ from the records. */
export function countDifferences(words: Dialect): readonly string[] {
  return freshCounts(words).flatMap(({ resource, name, rows }) => {
    const kept = `select tenant_id, value, count from record_counts where resource = '${resource}' and grouping = '${name}'`
    return [`${kept} except ${rows}`, `${rows} except ${kept}`].map(
      (text) => `select * from (${text}) differences limit 1`,
    )
  })
}

/** Statements that fill an empty `record_counts`. */
export function countAgain(words: Dialect): readonly string[] {
  return freshCounts(words).map(
    ({ resource, name, rows }) =>
      `insert into record_counts (tenant_id, resource, grouping, value, count)
       select tenant_id, '${resource}', '${name}', value, count from (${rows}) fresh`,
  )
}
