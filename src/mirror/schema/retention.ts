import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** One row: how far back the record goes. */
export const retention = sqliteTable('retention', {
  /** Always 1. */
  id: integer('id').primaryKey(),
  /** When a configuration was first noted. */
  begunAt: integer('begun_at'),
  /** The confirmed time of the first erasure: nothing in the mirror is older, whatever its own time says. */
  confirmedFrom: integer('confirmed_from'),
  /** What ended before this time is not in the record any more. */
  erasedBefore: integer('erased_before'),
})
