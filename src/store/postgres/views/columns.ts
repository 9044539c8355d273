import { readableJson } from '../../db/postgres/dialect.ts'
import type { SqlColumn } from '../../views/view.ts'

const column =
  (type: SqlColumn['type']) =>
  (name: string, sql: string, means: string): SqlColumn => ({ name, type, sql, means })

export const bigint = column('bigint')
export const boolean = column('boolean')
export const json = column('json')
export const numeric = column('numeric')
export const text = column('text')

/** @param sql milliseconds since the epoch. */
export function time(name: string, sql: string, means: string): SqlColumn {
  return { name, type: 'timestamp with time zone', sql: instant(sql), means }
}

export const instant = (ms: string) => `to_timestamp(${ms} / 1000.0)`

/** Time of the statement: in a transaction that is left open, `now()` would keep old data fresh. */
export const nowMs = 'extract(epoch from statement_timestamp()) * 1000'

export const asJson = (sql: string) => `(${readableJson(sql)})::json`
