import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The record of waivers: when terms came to count, and when what a waiver accepted of a finding lapsed. */
export const waiverChanges = sqliteTable(
  'waiver_changes',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    waiver: text('waiver').notNull(),
    at: integer('at').notNull(),
    terms: text('terms').notNull(),
    check: text('check').notNull(),
    /** Null when the terms themselves came to count. */
    fingerprint: text('fingerprint'),
    /** JSON objects of the material facts: those accepted, and those that ended it. */
    accepted: text('accepted'),
    changed: text('changed'),
  },
  (table) => [
    index('waiver_changes_waiver').on(table.tenantId, table.waiver),
    index('waiver_changes_time').on(table.at),
  ],
)

/** Waivers of the configuration, as the engine knows them; one taken out stays, so that putting it back renews nothing. */
export const waivers = sqliteTable(
  'waivers',
  {
    tenantId: integer('tenant_id').notNull(),
    id: text('id').notNull(),
    check: text('check').notNull(),
    /** As written, and as the mirror's keys have it; `*` for all. */
    entity: text('entity').notNull(),
    entityKey: text('entity_key').notNull(),
    /** Digest of what was agreed: another one is a renewal. */
    terms: text('terms').notNull(),
    since: integer('since').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.id] })],
)

/** Findings that a waiver came to cover, with the facts that it accepted then. */
export const waivedFindings = sqliteTable(
  'waived_findings',
  {
    fingerprint: text('fingerprint').notNull(),
    waiver: text('waiver').notNull(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    terms: text('terms').notNull(),
    /** JSON object of the material facts. */
    facts: text('facts').notNull(),
    severity: text('severity').notNull(),
    acceptedAt: integer('accepted_at').notNull(),
    /** 1 = it was opened after a waiver for all was agreed. */
    later: integer('later').notNull().default(0),
    /** 1 = it is more severe by now than when it was accepted. */
    moreSevere: integer('more_severe').notNull().default(0),
    /** When other facts ended the acceptance, for good, and which. */
    lapsedAt: integer('lapsed_at'),
    lapsedFacts: text('lapsed_facts'),
    /** Severity of the finding while it is open, else null: each scrape counts by it without reading the findings. */
    openSeverity: text('open_severity'),
  },
  (table) => [
    primaryKey({ columns: [table.fingerprint, table.waiver] }),
    index('waived_findings_waiver').on(table.tenantId, table.waiver),
    // With the time at its end, without which SQLite would look into the table for what the condition says already.
    index('waived_findings_lapsed')
      .on(table.tenantId, table.check, table.waiver, table.terms, table.openSeverity, table.lapsedAt)
      .where(sql`lapsed_at is not null and open_severity is not null`),
    index('waived_findings_broad')
      .on(table.tenantId, table.waiver, table.terms, table.later, table.moreSevere)
      .where(sql`lapsed_at is null and open_severity is not null and (later = 1 or more_severe = 1)`),
  ],
)
