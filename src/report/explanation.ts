import type { Settings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import { ruleContextOf, settingsOf } from '../evaluate/check-settings.ts'
import type { Mirror } from '../mirror/port.ts'
import type { MirrorRecord } from '../mirror/records/query.ts'
import { toIso } from '../model/dates.ts'
import type { FindingView } from '../model/finding.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'

/** The rule of a finding, as configured now. */
export interface ExplainedRule {
  readonly title: string
  readonly description: string
  readonly risk: string
  readonly remediation: string
  /** Null when the tenant is no longer configured. */
  readonly configured: {
    readonly enabled: boolean
    readonly severity: Severity | null
    readonly options: Readonly<Record<string, unknown>>
    /** False when options changed since the finding was evaluated. */
    readonly asEvaluated: boolean
  } | null
}

export interface ExplainedRecord {
  readonly resource: ResourceName
  readonly fields: Readonly<Record<string, unknown>>
  /** Fields the specification does not name. */
  readonly extra: Readonly<Record<string, unknown>> | null
  readonly firstSeen: string
  /** Time and request id of the answer with the current values. */
  readonly readAt: string
  readonly requestId: string | null
  /** True when the record was absent from the last complete full sync. */
  readonly absent: boolean
}

export interface ExplainedChange {
  readonly at: string
  readonly change: string
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  readonly requestId: string | null
}

export interface ExplainedEvent {
  readonly at: string
  readonly event: string
  readonly severity: Severity
  readonly message: string
  readonly resolution: string | null
  readonly evidence: Readonly<Record<string, unknown>>
}

/** A finding with its rule, record and history. */
export interface Explanation {
  readonly finding: FindingView
  /** Null when this version or configuration does not have the check. */
  readonly rule: ExplainedRule | null
  /** The mirrored record of the entity; null when it is removed, or when the entity consists of several records. */
  readonly record: ExplainedRecord | null
  /** Changes of the entity, oldest first. */
  readonly changes: readonly ExplainedChange[]
  /** Events of the finding, oldest first. */
  readonly life: readonly ExplainedEvent[]
}

export interface ExplainRequest {
  readonly mirror: Mirror
  readonly settings: Settings
  readonly finding: FindingView
  readonly check: Check | undefined
}

export async function explanationOf({ mirror, settings, finding, check }: ExplainRequest): Promise<Explanation> {
  const row = (await mirror.tenants()).find(({ name }) => name === finding.tenant)
  const key = check === undefined ? null : recordKey(check, finding)
  const known = check !== undefined && row !== undefined && key !== null
  const record = known ? await mirror.record(row.id, check.evaluates, key) : null
  const changes = known ? await mirror.records(row.id).history(check.evaluates, record?.key ?? key) : []
  const isOneField = check?.entity.type === 'authentication-setting'
  const events = await mirror.findingEvents(finding.fingerprint)
  return {
    finding,
    rule: check === undefined ? null : ruleOf(check, settings, finding),
    record: check === undefined || record === null ? null : toRecord(check.evaluates, record),
    changes: changes
      .filter(({ field }) => !isOneField || field === finding.entity.id)
      .map(({ at, kind, field, before, after, requestId }) => {
        return { at: toIso(at), change: kind, field, before, after, requestId }
      }),
    life: events.map(({ at, kind, severity, message, resolution, evidence }) => {
      return { at: toIso(at), event: kind, severity, message, resolution, evidence }
    }),
  }
}

/** The key of the record that contains the entity; null when the entity consists of several records. */
function recordKey({ entity, evaluates }: Check, finding: FindingView): string | null {
  if (entity.isRecord) return finding.entity.id.toLowerCase()
  return evaluates === 'authentication-settings' && !entity.type.startsWith('entity') ? '0' : null
}

function ruleOf(check: Check, settings: Settings, finding: FindingView): ExplainedRule {
  const { title, description, risk, remediation } = check
  const tenant = settings.tenants.find(({ name }) => name === finding.tenant)
  const facts = { title, description, risk, remediation }
  if (tenant === undefined) return { ...facts, configured: null }
  const { enabled, severity, options } = settingsOf(check, tenant)
  const evaluatedBy = finding.evidence['rule']
  const asEvaluated = evaluatedBy === undefined || evaluatedBy === check.ruleOf(options, ruleContextOf(tenant))
  return { ...facts, configured: { enabled, severity, options, asEvaluated } }
}

function toRecord(resource: ResourceName, record: MirrorRecord): ExplainedRecord {
  const { fields, extra, firstSeenAt, readAt, requestId, absent } = record
  const times = { firstSeen: toIso(firstSeenAt), readAt: toIso(readAt) }
  return { resource, fields, extra, ...times, requestId, absent }
}
