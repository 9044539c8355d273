import { integer, text } from 'drizzle-orm/sqlite-core'

/** What every mirrored record carries beside its own fields; times in milliseconds since the epoch. */
export const recordColumns = () => ({
  rid: integer('rid').primaryKey(),
  tenantId: integer('tenant_id').notNull(),
  extra: text('extra'),
  firstSeenAt: integer('first_seen_at').notNull(),
  firstRequestId: text('first_request_id'),
  /** When, and by which answer, the present values were brought. */
  readAt: integer('read_at').notNull(),
  requestId: text('request_id'),
  /** Tombstone: when the removal was decided. */
  removedAt: integer('removed_at'),
  /** Since when complete full syncs no longer show it, while its removal is not confirmed. */
  missingSince: integer('missing_since'),
  /** Its turn when it was last asked for by id: the greatest is the latest, null comes first. */
  lookupTurn: integer('lookup_turn'),
  /** Complete full syncs in a row that did not show it. */
  absentFullSyncs: integer('absent_full_syncs').notNull().default(0),
})
