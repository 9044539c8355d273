import * as z from 'zod'
import { checkStatuses, resolutions } from '../../model/check-status.ts'
import type { FindingView } from '../../model/finding.ts'
import { identityStates } from '../../model/posture.ts'
import { resourceStates } from '../../model/posture-state.ts'
import { reasons, unknownReasons } from '../../model/reasons.ts'
import { resourceNames, syncModes } from '../../model/resource-names.ts'
import { severities } from '../../model/severity.ts'

export const components = z.registry<{ readonly id: string; readonly description: string }>()

function component<T extends z.ZodType>(id: string, description: string, schema: T): T {
  components.add(schema, { id, description })
  return schema
}

const count = z.int().min(0)
const time = z.iso.datetime().describe('ISO 8601 in UTC')
const timeOrNever = time.nullable().describe('ISO 8601 in UTC; null = never')
const seconds = z.number().describe('Seconds')

const severity = component('Severity', 'From the lowest to the highest', z.enum(severities))
const resource = component('Resource', 'A mirrored resource of a tenant', z.enum(resourceNames))
const reason = component('Reason', 'Why a run or a request failed, or why there is a hold', z.enum(reasons))
const unknownReason = component('UnknownReason', 'Why a check cannot be evaluated', z.enum(unknownReasons))
const checkStatus = component('CheckStatus', 'The current status of a check', z.enum(checkStatuses))
const bySeverity = component(
  'CountsBySeverity',
  'Findings by severity; an absent severity means 0',
  z.partialRecord(severity, count),
)

export const error = component('Error', 'Why a request under /api/ was refused', z.object({ error: z.string() }))

const waiverMark = component(
  'WaiverMark',
  'The waiver of a finding',
  z.object({
    id: z.string(),
    owner: z.string(),
    reason: z.string(),
    expires: z.string().describe('The last day of validity, YYYY-MM-DD'),
    state: z.enum(['active', 'expired', 'lapsed']),
    explanation: z.string().nullable().describe('Why it no longer covers the finding; null while it does'),
  }),
)

const personal = (of: string) => z.string().optional().describe(`Of a ${of}; absent where details are hidden`)

export const finding = component(
  'Finding',
  'One entity that fails one check; personal data may be hidden as "[hidden]" (server.exposeDetails)',
  z.object({
    fingerprint: z.string().describe('Stable identifier of the finding'),
    tenant: z.string(),
    check: z.string(),
    entity: z.object({
      type: z.string(),
      id: z.string(),
      name: personal('user'),
      email: personal('user'),
      filename: personal('document'),
    }),
    severity,
    state: z.enum(['open', 'waived', 'resolved']),
    message: z.string().describe('One sentence for an auditor, without names of persons, e-mails and files'),
    evidence: z.record(z.string(), z.unknown()).describe('The field values that it rests on, and when they were read'),
    firstSeen: time,
    lastSeen: time.describe('Last evaluation that confirmed it; stays while the check is unknown'),
    resolvedAt: time.nullable(),
    resolution: z.enum(resolutions).nullable(),
    reopened: count,
    waiver: waiverMark.nullable(),
    owner: z.string().nullable().describe('Who looks after it (owners of the configuration); null = nobody is named'),
    link: z.string().nullable().describe('Of the entity in the portal (portalUrl); null = none is configured'),
  }) satisfies z.ZodType<FindingView>,
)

export const check = component(
  'Check',
  'A check of a tenant with its current status; the age of its inputs is evaluated at each request',
  z.object({
    tenant: z.string(),
    check: z.string(),
    title: z.string().describe('States the passing case, or of a failing check how many findings are open'),
    passesWhen: z.string().describe('States the passing case'),
    risk: z.string().describe('What may happen while it fails'),
    remediation: z.string().describe('What to do'),
    runbook: z.string().optional().describe('Name of its alert, for /runbook?name=; absent for a check without one'),
    enabled: z.boolean(),
    status: checkStatus,
    reason: unknownReason.nullable().describe('Set exactly when the status is unknown'),
    partial: unknownReason.optional().describe('Why a check that fails on incomplete data may have more findings'),
    assumption: z.string().optional().describe('What it takes for granted because an option is not set'),
    problem: z.string().optional().describe('Why an own check, or some of its entities, cannot be evaluated'),
    entities: count.nullable().describe('Number of entities in scope; null when unknown'),
    notEvaluated: count.nullable().describe('Of those, how many could not be evaluated; null when unknown'),
    notEvaluatedWhere: z.string().optional().describe('Why not'),
    unevaluated: z.array(z.string()).optional().describe('Ids of at most ten of them'),
    severities: z.array(severity).describe('The severities that its findings can have'),
    open: bySeverity,
    waived: bySeverity,
    evaluatedAt: timeOrNever,
    since: timeOrNever,
  }),
)

const hold = component(
  'Hold',
  'A change that the engine holds back until an operator accepts it or its cause is gone',
  z.object({
    id: z.string(),
    resource: z.enum([...resourceNames, 'all']),
    reason,
    count,
    message: z.string(),
    raisedAt: time,
    acceptedReason: z.string().optional().describe('Of the operator who accepted it; it ends when that takes effect'),
    replacesTenant: z
      .boolean()
      .optional()
      .describe('Whether accepting it replaces the data by those of another tenant'),
    remedy: z.string().optional().describe('What ends a hold that cannot be accepted'),
    effect: z.string().optional().describe('What accepting it does'),
    advice: z.string().optional().describe('What to compare before accepting it'),
  }),
)

const mode = component(
  'Mode',
  'The state of the incremental or the full syncs of a resource',
  z.object({
    mode: z.enum(syncModes),
    up: z.boolean().describe('Whether the last run succeeded; false before the first'),
    reason: reason.nullable(),
    lastAttemptAt: timeOrNever,
    lastSuccessAt: timeOrNever.describe('Its start, or that of the full sync that it continued; null = never'),
    freshnessLimitSeconds: seconds,
  }),
)

const resourceStatus = component(
  'ResourceStatus',
  'The mirror of one resource and its data quality',
  z.object({
    resource,
    enabled: z.boolean(),
    state: z.enum([...resourceStates, 'off']),
    live: count.describe('Records'),
    quarantined: count,
    missing: count.describe('Absent from a full sync, the removal neither confirmed nor on hold'),
    dataAsOf: timeOrNever.describe('Start of the last complete full sync, also of one that ended in a hold'),
    fresh: z.boolean().describe('Whether dataAsOf is within the limit; `state` also covers holds and missing records'),
    freshnessLimitSeconds: seconds,
    message: z.string().nullable().describe('The last failure in one sentence'),
    modes: z.array(mode),
  }),
)

const owner = component(
  'Owner',
  'The replica that syncs and evaluates a tenant',
  z.object({
    replica: z
      .string()
      .nullable()
      .describe('Its host and a part that is new at each start; the last owner if not alive'),
    alive: z.boolean().describe('False when no living replica owns the tenant: its data becomes stale'),
    since: timeOrNever.describe('When the tenant got this owner or, if it is not alive, lost it'),
    heartbeatAgeSeconds: z.number().nullable().describe('By the clock of the database; alive is up to 10'),
  }),
)

const tenantStatus = component(
  'TenantStatus',
  'The current status of one tenant',
  z.object({
    tenant: z.string(),
    at: time,
    quality: z.enum(['full', 'partial', 'none']).describe('How many enabled resources are fresh and complete'),
    identity: z.enum(identityStates).describe('Whether the data is confirmed to be that of the tenant'),
    identityMessage: z.string(),
    clockSkewSeconds: z.number().nullable().describe("The tenant's clock minus this one; null before the first answer"),
    blockedUntil: time.nullable().describe('The API asked to send no request before this time'),
    holds: z.array(hold),
    resources: z.array(resourceStatus),
    checks: z.record(checkStatus, count).describe('Enabled checks by status'),
    findings: z.object({ open: z.record(severity, count), openTotal: count, waivedTotal: count }),
    owner: owner.optional().describe('Only with a database of PostgreSQL'),
  }),
)

export const status = component(
  'Status',
  'The current status of every configured tenant',
  z.object({ version: z.string(), at: time, tenants: z.array(tenantStatus) }),
)

export const endedSync = component(
  'EndedSync',
  'A run that was asked for',
  z.object({
    tenant: z.string(),
    resource,
    mode: z.enum(syncModes),
    outcome: z.enum(['success', 'failure', 'skipped']),
    reason: reason.nullable(),
    message: z.string().nullable(),
    hint: z.string().nullable(),
    counts: z.object({ created: count, updated: count, unchanged: count, removed: count, quarantined: count }),
    durationMs: count,
  }),
)
