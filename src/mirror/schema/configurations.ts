import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What was configured of tenants, checks and waivers, a row when it became another; no secret is in it. */
export const configurations = sqliteTable('configurations', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
  digest: text('digest').notNull(),
  /** JSON, in the shape of the version that wrote it, deflated: many tenants say much the same. */
  content: blob('content', { mode: 'buffer' }).notNull(),
})
