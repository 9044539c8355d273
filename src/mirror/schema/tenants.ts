import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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

/** What the trust in a tenant's mirror hung on when it was evaluated, beside ages and counts; a row when it became another. */
export const tenantStates = sqliteTable(
  'tenant_states',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    at: integer('at').notNull(),
    /** JSON: holds, clocks, refusals and doubts. */
    state: text('state').notNull(),
  },
  (table) => [index('tenant_states_tenant').on(table.tenantId)],
)

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

/** What was configured of tenants, checks and waivers, a row when it became another; no secret is in it. */
export const configurations = sqliteTable('configurations', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
  digest: text('digest').notNull(),
  /** JSON, in the shape of the version that wrote it, deflated: many tenants say much the same. */
  content: blob('content', { mode: 'buffer' }).notNull(),
})

export const tenants = sqliteTable('tenants', {
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  /** Origin and path the mirrored data came from. */
  baseUrl: text('base_url').notNull(),
  createdAt: integer('created_at').notNull(),
  /** Nothing is sent to the tenant before this time. */
  blockedUntil: integer('blocked_until').notNull().default(0),
  /** How much of that wait was left when it was stored, in milliseconds. */
  blockedForMs: integer('blocked_for_ms'),
  /**
   * JSON after a tenant change was accepted: resources that still owe a complete full sync, while that lets identity pass, and
   * those whose records may still be the former tenant's; null = neither.
   */
  changeAccepted: text('change_accepted'),
  /** When an operator last accepted another tenant: tombstones of records first seen before are not known any more. */
  knownSince: integer('known_since'),
  /** JSON: resource and keys of a refused page that an operator accepted, until a full sync of it completes. */
  admitted: text('admitted'),
})
