import { Column, fillPlaceholders, is, type Query as Text } from 'drizzle-orm'
import { BaseSQLiteDatabase, type SQLiteSession, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Statement, Step, Steps } from './steps.ts'

export interface Builder<Result> {
  readonly _: { readonly result: Result }
  prepare(): unknown
}

export type RowOf<Result> = Result extends readonly (infer Row)[] ? Row : never

export interface Query<Row> {
  all(placeholders?: Readonly<Record<string, unknown>>): Step<Row[]>
  get(placeholders?: Readonly<Record<string, unknown>>): Step<Row | undefined>
  run(placeholders?: Readonly<Record<string, unknown>>): Step<void>
}

interface Prepared {
  readonly query: Text
  readonly fields: readonly { readonly path: readonly string[]; readonly field: unknown }[] | undefined
}

type NoTables = Record<string, never>
type Session = SQLiteSession<'sync', void, NoTables, NoTables>

/** Returns the prepared query instead of running it. */
const session: Pick<Session, never> = { prepareQuery: (query: Text, fields: Prepared['fields']) => ({ query, fields }) }

/** Drizzle's builders without a connection; their SQL works on both databases. */
export const orm = new BaseSQLiteDatabase('sync', new SQLiteSyncDialect(), session as Session, undefined)

type PrepareRows = (text: string) => Statement<readonly unknown[], readonly unknown[]>

export function queryOf<Result>(prepareRows: PrepareRows, builder: Builder<Result>): Query<RowOf<Result>> {
  const {
    query: { sql, params },
    fields = [],
  } = builder.prepare() as Prepared
  const statement = prepareRows(sql)
  const bound = (placeholders: Readonly<Record<string, unknown>>) => fillPlaceholders(params, { ...placeholders })
  const rowOf = (values: readonly unknown[]) => toRow(fields, values) as RowOf<Result>
  return {
    *all(placeholders = {}): Steps<RowOf<Result>[]> {
      const rows = yield* statement.all(...bound(placeholders))
      return rows.map(rowOf)
    },
    *get(placeholders = {}): Steps<RowOf<Result> | undefined> {
      const row = yield* statement.get(...bound(placeholders))
      return row && rowOf(row)
    },
    run: (placeholders = {}) => statement.run(...bound(placeholders)),
  }
}

/** A row of a join has an object for each table. */
function toRow(fields: NonNullable<Prepared['fields']>, values: readonly unknown[]): unknown {
  const row: Record<string, Record<string, unknown> | unknown> = {}
  for (const [i, { path, field }] of fields.entries()) {
    const value = values[i] ?? null
    const mapped = value !== null && is(field, Column) ? field.mapFromDriverValue(value) : value
    const [name = '', member] = path
    if (member === undefined) row[name] = mapped
    else row[name] = { ...(row[name] as object | undefined), [member]: mapped }
  }
  return row
}
