export interface SqlColumn {
  readonly name: string
  readonly type: 'bigint' | 'boolean' | 'jsonb' | 'numeric' | 'text' | 'timestamp with time zone'
  /** Expression over the tables of `SqlView.from`. */
  readonly sql: string
  /** Plain Markdown in one line. */
  readonly means: string
}

/** A view for people and Grafana; its columns are a promise (docs/sql.md). */
export interface SqlView {
  readonly name: string
  /** One sentence of Markdown: one row for each of these. */
  readonly rows: string
  readonly columns: readonly SqlColumn[]
  readonly from: string
  /** True if `from` excludes rows, which functions in the reader's query must not see (security barrier). */
  readonly excludesRows?: true
}

const column =
  (type: SqlColumn['type']) =>
  (name: string, sql: string, means: string): SqlColumn => ({ name, type, sql, means })

export const bigint = column('bigint')
export const boolean = column('boolean')
export const json = column('jsonb')
export const numeric = column('numeric')
export const text = column('text')

/** @param sql milliseconds since the epoch. */
export function time(name: string, sql: string, means: string): SqlColumn {
  return { name, type: 'timestamp with time zone', sql: instant(sql), means }
}

export const instant = (ms: string) => `to_timestamp(${ms} / 1000.0)`

/** Time of the statement: in a transaction that is left open, `now()` would keep old data fresh. */
export const nowMs = 'extract(epoch from statement_timestamp()) * 1000'

/** JSON text as `jsonb`, which cannot contain U+0000; only an escape after an even number of backslashes is one. */
export const asJsonb = (sql: string) =>
  `(case when ${sql} like '%\\\\u0000%' then regexp_replace(${sql}, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000', '\\1\\\\ufffd', 'g') else ${sql} end)::jsonb`

export const tenantColumn = (sql: string) => text('tenant', sql, 'name of the tenant in the configuration')
