import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** One row: how far back the record goes. */
export const retention = sqliteTable('retention', {
  /** Always 1. */
  id: integer('id').primaryKey(),
  /** When a configuration was first noted. */
  begunAt: integer('begun_at'),
  /** What ended before this time is not in the record any more. */
  erasedBefore: integer('erased_before'),
})
