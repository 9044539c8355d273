import { type Check, type CheckOptions, inputsOf, settingsOf } from '../evaluate/check.ts'
import {
  type ConfigurationRecord,
  type RecordedTenant,
  readRecord,
  recordedChecks,
} from '../evaluate/configuration-record.ts'
import { unmirroredId } from '../evaluate/data-quality.ts'
import { readDecisions } from '../evaluate/decisions.ts'
import { readFindings } from '../evaluate/findings/read-findings.ts'
import { pastStore, readInputSnapshot } from '../evaluate/past-store.ts'
import { type ReadPosture, readPosture } from '../evaluate/read-posture.ts'
import { describePosture } from '../model/describe.ts'
import type { FindingView } from '../model/finding.ts'
import type { CheckView, HoldView, TenantPosture, WaiverView } from '../model/posture.ts'
import { dataQualityOf, presentStatus, resourceState, tally, unknownReason } from '../model/posture-state.ts'
import { isSkewed } from '../model/server-clock.ts'
import { withoutWaiverDetails } from '../model/text/redact.ts'
import { dayMs, isoOrNull, toIso } from '../model/time.ts'
import type { Span } from '../model/trend.ts'
import { hidePatterns, withoutDetails } from '../resources/redact-finding.ts'
import type { NotedConfiguration, PastReader, TenantRow } from '../store/port.ts'
import { coverageOf, requirementsOf, type Standing, standingOf, standings } from './coverage.ts'
import { reportDecision } from './life.ts'
import { type ConfiguredSpans, configuredIn, periodOf } from './period.ts'
import { readTrend } from './trend.ts'

export interface ReportRequest {
  readonly past: PastReader
  readonly configuration: NotedConfiguration
  /** Time of the first recorded configuration, in milliseconds since the epoch. */
  readonly begunAt: number
  readonly tenants: readonly TenantRow[]
  readonly only: string | undefined
  readonly details: boolean
  /** Beginning of the period that ends with the report; undefined = a report of one moment. */
  readonly from: number | undefined
}

export type Report = Awaited<ReturnType<typeof buildReport>>
export type TenantReport = Awaited<ReturnType<typeof tenantReport>>
export type ReportCheck = ReturnType<typeof reportCheck>
export type ReportResource = ReturnType<typeof reportResource>
export type ReportFinding = ReturnType<typeof toReport>

/** The audit report. It only depends on the stored history, so that the same time gives the same report. */
export async function buildReport(request: ReportRequest) {
  const { past, configuration, begunAt, tenants, only, details } = request
  const record = readRecord(configuration)
  const store = pastStore(past, tenants)
  const shown = record.tenants.filter(({ name }) => only === undefined || name === only)
  const configured = record.tenants.map(({ name }) => name)
  const stored = tenants.flatMap(({ name, createdAt }) => (createdAt <= past.at ? [name] : []))
  // Removed from the configuration, or only another replica's configuration has them.
  const unconfigured = only === undefined ? stored.filter((name) => !configured.includes(name)) : []
  const unread = shown.map(({ name }) => name).filter((name) => !stored.includes(name))
  const span = request.from === undefined ? null : { from: request.from, to: past.at }
  const period = span && { span, configured: await configuredIn(past, span) }
  const reports: TenantReport[] = []
  for (const tenant of shown) reports.push(await tenantReport(tenant, { request, record, store, period }))
  return {
    /** Milliseconds since the epoch. */
    at: past.at,
    from: request.from ?? null,
    /** The version of tenantwatch that evaluated. */
    version: record.version,
    historyBegins: toIso(Math.max(past.clamp(begunAt), past.at - record.retentionDays * dayMs)),
    configuredSince: toIso(configuration.at),
    configurationDigest: configuration.digest,
    notes: [...notesOf(details, unconfigured, unread)],
    /** Tenants of the mirror that the configuration lacks; empty in a report of one tenant. */
    unconfigured,
    tenants: reports,
  }
}

const hiddenNote =
  'Names of persons, e-mails, file names and the patterns of required documents are hidden; --details (of mcp --expose-details) shows them.'

function* notesOf(details: boolean, unconfigured: readonly string[], unread: readonly string[]) {
  if (!details) yield hiddenNote
  const missing = unconfiguredInWords(unconfigured)
  if (missing !== null) yield missing
  if (unread.length > 0)
    yield `Nothing is stored of ${unread.join(', ')}: never read, or erased by "tenantwatch purge".`
}

interface Known {
  readonly request: ReportRequest
  readonly record: ConfigurationRecord
  readonly store: ReadPosture['store']
  /** Null in a report of one moment. */
  readonly period: { readonly span: Span; readonly configured: ConfiguredSpans } | null
}

async function tenantReport(tenant: RecordedTenant, known: Known) {
  const { record, store, request, period } = known
  const { past, details } = request
  const now = past.at
  const row = request.tenants.find(({ name }) => name === tenant.name)
  const { sharedWith } = readInputSnapshot(row === undefined ? null : await past.tenantState(row.id))
  const evaluated = {
    id: row?.id ?? unmirroredId,
    settings: tenant,
    ...(sharedWith !== undefined && { sharedWith }),
  }
  const checks = recordedChecks(record, tenant)
  const { waivers, evaluateIntervalMs } = record
  const posture = await readPosture({ store, tenant: evaluated, checks, waivers, now, evaluateIntervalMs })
  const rows = checks.flatMap((check) => {
    const view = posture.checks.find((one) => one.check === check.id)
    const { options } = settingsOf(check, tenant)
    return view === undefined ? [] : [reportCheck(check, view, posture, details ? options : hidePatterns(options))]
  })
  const { open, openTotal, waivedTotal } = tally(posture)
  const head = row === undefined ? null : await past.chainHead(row.id)
  return {
    tenant: tenant.name,
    summary: describePosture(posture).text,
    quality: dataQualityOf(posture),
    clocksDiffer: isSkewed(posture.clockSkewMs),
    checks: rows,
    standings: Object.fromEntries(
      standings.map((standing) => [standing, rows.filter((one) => one.standing === standing).length]),
    ) as Readonly<Record<Standing, number>>,
    open,
    openTotal,
    waivedTotal,
    resources: posture.resources.map((view) => reportResource(view, posture)),
    holds: posture.holds.map(reportHold),
    waivers: posture.waivers.map((waiver) => reportWaiver(waiver, details)),
    /** Oldest first, from the beginning of the history. */
    decisions: (row === undefined ? [] : await readDecisions(past, row.id)).map((one) => reportDecision(one, details)),
    /** Last event of the tenant's chain, for `tenantwatch verify --head` later; null = there is no event yet. */
    chainHead: head && { ...head, at: toIso(head.at) },
    frameworks: requirementsOf(checks, new Map(rows.map(({ check, standing }) => [check, standing]))),
    /** Null in a report of one moment. */
    period: row === undefined || period === null ? null : await periodOf(past, row, period.span, period.configured),
    /** Open and waived findings, oldest first; each call reads them again. */
    findings: () => findingsOf(evaluated.id, known),
    /** Null without a period: a history before the retention is erased. */
    trend: async () =>
      row === undefined || period === null ? null : readTrend(past, row, period.span, period.configured),
  }
}

function reportCheck(check: Check, view: CheckView, posture: TenantPosture, options: CheckOptions) {
  const standing = standingOf(view)
  return {
    check: check.id,
    title: view.passesWhen,
    standing,
    status: presentStatus(view),
    reason: unknownReason(view) ?? view.reason,
    since: isoOrNull(view.since),
    /** The condition that excludes entities from the evaluation; null when all were evaluated. */
    notEvaluatedWhere: view.notEvaluatedWhere ?? null,
    /** Data time of the oldest input; null if one was never read. */
    dataAsOf: oldestOf(check, posture),
    /** What the check assumes because an option is not set. */
    assumption: view.assumption ?? null,
    ...coverageOf(view),
    options,
  }
}

/** Time of the oldest data among the inputs; null when one was never read. */
function oldestOf(check: Check, { resources }: TenantPosture): string | null {
  const inputs = resources.filter(({ resource }) => inputsOf(check).includes(resource))
  const oldest = Math.min(...inputs.map(({ dataAsOf }) => dataAsOf ?? Number.NEGATIVE_INFINITY))
  return Number.isFinite(oldest) ? toIso(oldest) : null
}

/** Without what accepting it does, which depends on the cause. */
function reportHold({ id, resource, reason, count, message, raisedAt }: HoldView) {
  return { id, resource, reason, count, message, raisedAt: toIso(raisedAt) }
}

function reportWaiver({ expiresAt, ...waiver }: WaiverView, details: boolean) {
  const { entity } = details ? waiver : withoutWaiverDetails(waiver)
  return { ...waiver, entity, expires: toIso(expiresAt) }
}

function reportResource(view: TenantPosture['resources'][number], posture: TenantPosture) {
  const { resource, enabled, dataAsOf: asOf, freshnessLimitMs, live, quarantined, missing, modes } = view
  return {
    resource,
    state: resourceState(view, posture.holds),
    dataAsOf: isoOrNull(asOf),
    ageSeconds: asOf === null ? null : Math.round((posture.at - asOf) / 1000),
    limitSeconds: Math.round(freshnessLimitMs / 1000),
    records: live,
    quarantined,
    missing,
    /** Number of records that the resource's holds concern. */
    held: posture.holds.reduce((sum, hold) => sum + (hold.resource === resource ? hold.count : 0), 0),
    reasons: enabled ? [...new Set(modes.flatMap(({ reason }) => reason ?? []))] : [],
  }
}

async function* findingsOf(
  tenantId: number,
  { request, record: { waivers, owners, tenants }, store }: Known,
): AsyncIterable<ReportFinding> {
  const { details, past } = request
  const wanted = { now: past.at, tenantIds: [tenantId], states: ['open', 'waived'], withPersonal: details } as const
  for await (const finding of readFindings({ store, waivers, owners, tenants, ...wanted }))
    yield toReport(details ? finding : withoutDetails(finding), past.at)
}

function toReport(finding: FindingView, now: number) {
  const { fingerprint, check, entity, severity, state, message, firstSeen, reopened, waiver, evidence, owner, link } =
    finding
  const ageDays = Math.max(0, Math.floor((now - Date.parse(firstSeen)) / dayMs))
  // Owner and reason are listed with the waiver.
  const mark = waiver && {
    id: waiver.id,
    state: waiver.state,
    expires: waiver.expires,
    explanation: waiver.explanation,
  }
  const facts = { fingerprint, check, entity, severity, state, message, owner, link, firstSeen, ageDays, reopened }
  return { ...facts, waiver: mark, evidence }
}

/** Null if the report contains all tenants of the mirror. */
export function unconfiguredInWords(tenants: readonly string[]): string | null {
  if (tenants.length === 0) return null
  const them = tenants.length === 1 ? 'it' : 'them'
  return `Not in this report, because the configuration does not have ${them}: ${tenants.join(', ')}. The mirror keeps ${tenants.length === 1 ? 'its' : 'their'} data.`
}
