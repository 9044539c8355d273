import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { CheckStatus, Resolution } from '../../model/check-status.ts'
import type { UnknownReason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity, SeverityCounts } from '../../model/severity.ts'
import type { Scalar } from '../records/query.ts'
import { severityRank } from '../rows.ts'

/** Last result of a check. Readers apply the current age of its inputs. */
export const checkStates = sqliteTable(
  'check_states',
  {
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    status: text('status').$type<CheckStatus>().notNull(),
    reason: text('reason').$type<UnknownReason>(),
    /** Null when not known. */
    entities: integer('entities'),
    notEvaluated: integer('not_evaluated'),
    since: integer('since').notNull(),
    evaluatedAt: integer('evaluated_at').notNull(),
    /** First instant at which time alone changes the result; null = never. */
    changesAt: integer('changes_at'),
    /** Digest of all inputs of the result but the time; null if the check has to be evaluated again. */
    basis: text('basis'),
    /** Digest of the thresholds and lists in force; null when the check could not be evaluated. */
    rule: text('rule'),
    /** Open findings by severity. */
    open: text('open', { mode: 'json' }).$type<Readonly<SeverityCounts>>().notNull().default({}),
    /** Why an own check cannot be evaluated, fully or in part; for others, a JSON array of unevaluated entity ids. */
    problem: text('problem'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.check] })],
)

export interface GroupCount {
  readonly values: readonly Scalar[]
  readonly count: number
}

export interface RecordCounts {
  readonly fields: readonly string[]
  /** By the values of these fields. */
  readonly groups: readonly GroupCount[]
}

/** Counts of the live records of a resource, as of the last evaluation after a change. */
export const evaluatedCounts = sqliteTable(
  'evaluated_counts',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').$type<ResourceName>().notNull(),
    counts: text('counts', { mode: 'json' }).$type<RecordCounts>().notNull(),
    /** Version of the records that were counted. */
    version: integer('version').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource] })],
)

export const findings = sqliteTable(
  'findings',
  {
    id: integer('id').primaryKey(),
    fingerprint: text('fingerprint').notNull(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    entityType: text('entity_type').notNull(),
    entityId: text('entity_id').notNull(),
    severity: text('severity').$type<Severity>().notNull(),
    message: text('message').notNull(),
    /** JSON object. */
    evidence: text('evidence').notNull(),
    /** Of severity, message and facts, so that an evaluation compares findings without reading them. */
    digest: text('digest').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    resolvedAt: integer('resolved_at'),
    resolution: text('resolution').$type<Resolution>(),
    reopened: integer('reopened').notNull().default(0),
  },
  (table) => [
    uniqueIndex('findings_fingerprint').on(table.fingerprint),
    // The first findings of a check and severity are read without the others.
    index('findings_open').on(table.tenantId, table.check, table.severity, table.id).where(sql`resolved_at is null`),
    index('findings_all').on(table.tenantId, table.check),
    // Batches of a tenant's findings begin after the last one.
    index('findings_tenant').on(table.tenantId, table.id),
    index('findings_severity')
      .on(table.tenantId, sql.raw(severityRank), table.check, table.id)
      .where(sql`resolved_at is null`),
  ],
)
