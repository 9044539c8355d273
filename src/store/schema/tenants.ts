import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Steps back of the clock, after which local time repeats. */
export const clockSteps = sqliteTable('clock_steps', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
  /** Latest recorded time before the step. */
  latest: integer('latest').notNull(),
  until: integer('until').notNull(),
  /** First time later than `latest`; null = none yet. */
  resumed: integer('resumed'),
  /** Local time of the first answer that confirmed the clock after the step; null = none. */
  confirmedAt: integer('confirmed_at'),
  /** JSON object: last id of each history table at the step. */
  positions: text('positions').notNull(),
})

/** Facts behind the data quality of a tenant, besides ages and counts; a row for each change. */
export const tenantStates = sqliteTable(
  'tenant_states',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    at: integer('at').notNull(),
    /** JSON: holds, clocks, refusals and data warnings. */
    state: text('state').notNull(),
  },
  (table) => [index('tenant_states_tenant').on(table.tenantId)],
)

export const retention = sqliteTable('retention', {
  id: integer('id').primaryKey(),
  begunAt: integer('begun_at'),
  /** Confirmed time of the first erasure; no row is older, whatever its own time. */
  confirmedFrom: integer('confirmed_from'),
  erasedBefore: integer('erased_before'),
})

/** Tenants, checks and waivers as configured, without secrets; a row for each change. */
export const configurations = sqliteTable('configurations', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
  digest: text('digest').notNull(),
  /** Deflated JSON, in the format of the version that wrote it. */
  content: blob('content', { mode: 'buffer' }).notNull(),
})

/** The configuration in force, for the views of PostgreSQL (docs/sql.md); JSON without addresses and secrets. */
export const configuredTenants = sqliteTable('configured_tenants', {
  tenant: text('tenant').primaryKey(),
  resources: text('resources').notNull(),
  checks: text('checks').notNull(),
  waivers: text('waivers').notNull(),
})

export const tenants = sqliteTable('tenants', {
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  baseUrl: text('base_url').notNull(),
  createdAt: integer('created_at').notNull(),
  blockedUntil: integer('blocked_until').notNull().default(0),
  blockedForMs: integer('blocked_for_ms'),
  /** JSON after a change of tenant: resources that need a full sync, and those with records of the former tenant. */
  changeAccepted: text('change_accepted'),
  /** Digests of the credentials for which a change of tenant, and a denial, were accepted. */
  acceptedCredential: text('accepted_credential'),
  deniedCredential: text('denied_credential'),
  /** When an operator last accepted another tenant; older tombstones no longer identify the tenant. */
  knownSince: integer('known_since'),
  admitted: text('admitted'),
  /** During an erasure: time before which ended rows of the tenant are erased. */
  eraseBefore: integer('erase_before'),
})
