import type { Resolution } from '../../model/check-status.ts'
import type { NewFinding } from '../port.ts'
import type { Database } from '../sqlite/database.ts'
import { waiverUpkeep } from './waiver-store.ts'

const instant = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z"/g

/** Compares to the second, without `identity.createdAt`: another entity has another finding. */
function isSameFacts(accepted: string, present: string): boolean {
  return comparable(accepted) === comparable(present)
}

function comparable(text: string): string {
  const { 'identity.createdAt': _, ...facts } = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(facts).replace(instant, '"$1Z"')
}

/** Findings changed in one transaction; other work runs between two of them. */
export const batchSize = 250

export interface StagedFinding extends Omit<NewFinding, 'evidence' | 'facts' | 'isSameEntity'> {
  /** `replaced`: the entity's id was reused, so its finding ends and a new one begins. */
  readonly kind: 'opened' | 'reopened' | 'changed' | 'resolved' | 'replaced'
  readonly evidence: string
  readonly lastSeenAt: number
  readonly resolution: Resolution | null
  readonly facts: string | null
}

interface Differing {
  readonly fingerprint: string
  readonly waiver: string
  readonly accepted: string
  readonly present: string
  readonly at: number
  readonly kind: StagedFinding['kind']
}

/** Call the writing methods inside a transaction. */
export interface StagedFindings {
  stage(tenantId: number, check: string, at: number, differences: readonly StagedFinding[]): void
  has(tenantId: number, check: string): boolean
  discard(tenantId: number, check: string): void
  /** Writes one batch into the findings and their history; false when none is left. */
  apply(tenantId: number, check: string): boolean
}

const ofCheck = 'tenant_id = ? and "check" = ?'
const part = `${ofCheck} and id <= ?`

export function stagedFindings({ raw }: Database): StagedFindings {
  const stage = raw.prepare(
    `insert into staged_findings (tenant_id, "check", at, kind, fingerprint, entity_type, entity_id, severity, message,
       evidence, last_seen_at, resolution, facts)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const last = raw
    .prepare<[number, string], number | null>(
      `select max(id) from (select id from staged_findings where ${ofCheck} order by id limit ${batchSize})`,
    )
    .pluck()
  const drop = raw.prepare(`delete from staged_findings where ${part}`)
  const writing = [
    `insert into finding_events (fingerprint, at, kind, severity, message, evidence, resolution)
       select f.fingerprint, d.at, 'resolved', f.severity, f.message, f.evidence, 'entity_removed'
       from (select * from staged_findings where ${part} and kind = 'replaced') d
       join findings f on f.fingerprint = d.fingerprint and f.resolved_at is null order by d.id`,
    `insert into finding_events (fingerprint, at, kind, severity, message, evidence, resolution)
       select fingerprint, at, case kind when 'replaced' then 'opened' else kind end, severity, message, evidence, resolution from staged_findings where ${part} order by id`,
    `insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence,
         first_seen_at, last_seen_at)
       select fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence, at, at
       from staged_findings where ${part} and kind in ('opened', 'reopened', 'replaced') order by id
       on conflict (fingerprint) do update set severity = excluded.severity, message = excluded.message,
         evidence = excluded.evidence, last_seen_at = excluded.last_seen_at, resolved_at = null, resolution = null,
         reopened = findings.reopened + 1`,
    `update findings set first_seen_at = d.at, reopened = 0
       from (select * from staged_findings where ${part} and kind = 'replaced') d
       where findings.fingerprint = d.fingerprint`,
    `update findings set severity = d.severity, message = d.message, evidence = d.evidence, last_seen_at = d.at
       from (select * from staged_findings where ${part} and kind = 'changed') d
       where findings.fingerprint = d.fingerprint`,
    `update findings set resolved_at = d.at, last_seen_at = case when findings.last_seen_at > d.last_seen_at then findings.last_seen_at else d.last_seen_at end,
         resolution = d.resolution
       from (select * from staged_findings where ${part} and kind = 'resolved') d
       where findings.fingerprint = d.fingerprint`,
    ...waiverUpkeep(part),
  ].map((text) => raw.prepare(text))
  const differing = raw.prepare<[number, string, number], Differing>(
    `select w.fingerprint, w.waiver, w.facts as accepted, d.facts as present, d.at, d.kind
     from (select * from staged_findings where ${part} and kind <> 'resolved' and facts is not null) d
     join waived_findings w on w.fingerprint = d.fingerprint and w.lapsed_at is null and w.facts <> d.facts`,
  )
  const lapse = raw.prepare(
    'update waived_findings set lapsed_at = ?, lapsed_facts = ? where fingerprint = ? and waiver = ?',
  )
  return {
    stage(tenantId, check, at, differences) {
      for (const {
        kind,
        fingerprint,
        entityType,
        entityId,
        severity,
        message,
        evidence,
        lastSeenAt,
        resolution,
        facts,
      } of differences) {
        const finding = [fingerprint, entityType, entityId, severity, message, evidence, lastSeenAt, resolution, facts]
        stage.run(tenantId, check, at, kind, ...finding)
      }
    },
    has: (tenantId, check) => (last.get(tenantId, check) ?? null) !== null,
    discard(tenantId, check) {
      drop.run(tenantId, check, last.get(tenantId, check) ?? 0)
    },
    apply(tenantId, check) {
      const id = last.get(tenantId, check) ?? null
      if (id === null) return false
      for (const { fingerprint, waiver, accepted, present, at, kind } of differing.all(tenantId, check, id)) {
        if (kind === 'replaced' || !isSameFacts(accepted, present)) lapse.run(at, present, fingerprint, waiver)
      }
      for (const statement of writing) statement.run(tenantId, check, id)
      drop.run(tenantId, check, id)
      return true
    },
  }
}
