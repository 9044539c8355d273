import { Column, fillPlaceholders, is, type Query as Text } from 'drizzle-orm'
import { BaseSQLiteDatabase, type SQLiteSession, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Sql } from './db/db.ts'

export interface Builder<Result> {
  readonly _: { readonly result: Result }
  prepare(): unknown
}

export type RowOf<Result> = Result extends readonly (infer Row)[] ? Row : never

type Placeholders = Readonly<Record<string, unknown>>

export interface Query<Row> {
  all(tx: Sql, placeholders?: Placeholders): Promise<Row[]>
  get(tx: Sql, placeholders?: Placeholders): Promise<Row | undefined>
  run(tx: Sql, placeholders?: Placeholders): Promise<void>
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

export function queryOf<Result>(builder: Builder<Result>): Query<RowOf<Result>> {
  const {
    query: { sql, params },
    fields = [],
  } = builder.prepare() as Prepared
  const all = async (tx: Sql, placeholders: Placeholders = {}): Promise<RowOf<Result>[]> => {
    const rows = await tx<readonly unknown[]>(sql, fillPlaceholders(params, { ...placeholders }), 'arrays')
    return rows.map((values) => toRow(fields, values) as RowOf<Result>)
  }
  return {
    all,
    get: async (tx, placeholders) => (await all(tx, placeholders))[0],
    async run(tx, placeholders) {
      await all(tx, placeholders)
    },
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
