import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Records of every resource, live, removed and quarantined. Times are in milliseconds since the epoch. */
export const records = sqliteTable(
  'records',
  {
    rid: integer('rid').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** The id as text; `?` and a digest if none could be read. */
    key: text('key').notNull(),
    /** Canonical JSON of the last valid version; null without one, and after erasure. */
    body: text('body'),
    /** JSON of values that the mirror adds, such as a detail that was looked up. */
    supplement: text('supplement'),
    /** Why the last version is invalid; null = it is valid. */
    problem: text('problem'),
    /** JSON of the invalid version, at most 64 KiB. */
    raw: text('raw'),
    problemSince: integer('problem_since'),
    firstSeenAt: integer('first_seen_at').notNull(),
    /** When the valid version was read, and by which request. */
    readAt: integer('read_at').notNull(),
    requestId: text('request_id'),
    removedAt: integer('removed_at'),
    /** Since when complete full syncs no longer return the record, whose removal is not confirmed. */
    missingSince: integer('missing_since'),
    /** Consecutive complete full syncs that did not return it. */
    absent: integer('absent').notNull().default(0),
    /** 1 until it comes beside a record that identifies the tenant (docs/internals/sync.md#8-tenant-identity). */
    provisional: integer('provisional').notNull().default(0),
    lookedUpAt: integer('looked_up_at'),
    /** 1 = an operator accepted its removal. */
    accepted: integer('accepted').notNull().default(0),
  },
  (table) => [
    uniqueIndex('records_key').on(table.tenantId, table.resource, table.key),
    index('records_problem').on(table.tenantId, table.resource).where(sql`problem is not null`),
    index('records_missing').on(table.tenantId, table.resource).where(sql`missing_since is not null`),
    index('records_provisional').on(table.tenantId, table.resource).where(sql`provisional = 1`),
    index('records_accepted').on(table.tenantId, table.resource).where(sql`accepted = 1`),
    index('records_removed').on(table.tenantId, table.resource, table.removedAt).where(sql`removed_at is not null`),
  ],
)
