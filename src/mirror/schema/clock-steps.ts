import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Each time the clock was found to be set back: the hours between are in the record twice. */
export const clockSteps = sqliteTable('clock_steps', {
  id: integer('id').primaryKey(),
  /** What the clock showed then. */
  at: integer('at').notNull(),
  /** The latest time in the record by then. */
  latest: integer('latest').notNull(),
  /** Until when the time after the step is known to have been lived through. */
  until: integer('until').notNull(),
  /** When it first showed a later time than `latest`; null = not yet. */
  resumed: integer('resumed'),
  /** What the clock showed when an answer first confirmed it after the step; null = none has. */
  confirmedAt: integer('confirmed_at'),
  /** JSON object: the last id of each table of the record by then. */
  positions: text('positions').notNull(),
})
