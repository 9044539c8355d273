import * as z from 'zod'
import { checkStatuses, resolutions } from '../../model/check-status.ts'
import type { FindingView } from '../../model/finding.ts'
import { identityStates } from '../../model/posture.ts'
import { resourceStates } from '../../model/posture-state.ts'
import { reasons, unknownReasons } from '../../model/reasons.ts'
import { resourceNames, syncModes } from '../../model/resource-names.ts'
import { severities } from '../../model/severity.ts'
import type { EndedSync } from '../web-options.ts'

export const components = z.registry<{ readonly id: string; readonly description: string }>()

export const count = z.int().min(0)
export const time = z.iso.datetime().describe('ISO 8601 in UTC')
const timeOrNever = time.nullable().describe('ISO 8601 in UTC; null = never')
const seconds = z.number().describe('Seconds')

export function component<T extends z.ZodType>(id: string, description: string, schema: T): T {
  components.add(schema, { id, description })
  return schema
}

export const severity = component('Severity', 'From the lowest to the highest', z.enum(severities))
export const resource = component('Resource', 'A mirrored resource of a tenant', z.enum(resourceNames))
export const reason = component('Reason', 'Why a run or a request failed, or why there is a hold', z.enum(reasons))
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

export const finding = component(
  'Finding',
  'One entity that fails one check; personal data may be hidden as "[hidden]" (server.exposeDetails)',
  z.object({
    fingerprint: z
      .string()
      .regex(/^[\da-f]+$/)
      .describe('Stable identifier of the finding'),
    tenant: z.string(),
    check: z.string(),
    entity: z.object({
      type: z.string(),
      id: z.string(),
      name: z.string().optional().describe('Of a user; absent where details are hidden'),
      email: z.string().optional().describe('Of a user; absent where details are hidden'),
      filename: z.string().optional().describe('Of a document; absent where details are hidden'),
    }),
    severity,
    state: z.enum(['open', 'waived', 'resolved']),
    message: z.string().describe('One sentence for an auditor, without names of persons, e-mails and files'),
    evidence: z
      .record(z.string(), z.unknown())
      .describe('The field values on which the finding rests, and when they were read'),
    firstSeen: time,
    lastSeen: time.describe('Last evaluation that confirmed it; stays while the check is unknown'),
    resolvedAt: time.nullable(),
    resolution: z.enum(resolutions).nullable(),
    reopened: count,
    waiver: waiverMark.nullable(),
  }) satisfies z.ZodType<FindingView>,
)

export const check = component(
  'Check',
  'A check of a tenant with its current status; the age of its inputs is evaluated at each request',
  z.object({
    tenant: z.string(),
    check: z.string(),
    title: z.string().describe('States the passing case'),
    risk: z.string().describe('What may happen while it fails'),
    remediation: z.string().describe('What to do'),
    runbook: z.string().optional().describe('Name of its page in docs/runbooks; absent for a check without one'),
    enabled: z.boolean(),
    status: checkStatus,
    reason: unknownReason.nullable().describe('Set exactly when the status is unknown'),
    partial: unknownReason
      .optional()
      .describe('Why more entities than those found may fail; absent unless the check fails on incomplete data'),
    assumption: z.string().optional().describe('An assumption that the check makes because an option is not set'),
    problem: z.string().optional().describe('Why an own check, or some of its entities, cannot be evaluated'),
    entities: count.nullable().describe('Number of entities in scope; null when unknown'),
    notEvaluated: count
      .nullable()
      .describe('Number of entities that could not be evaluated; null when unknown, such as while data is missing'),
    notEvaluatedWhere: z.string().optional().describe('Why those could not be evaluated; absent without any'),
    unevaluated: z.array(z.string()).optional().describe('Ids of at most ten of those'),
    severities: z.array(severity).describe('The severities that its findings can have'),
    open: bySeverity,
    waived: bySeverity,
    evaluatedAt: timeOrNever,
    since: timeOrNever,
  }),
)

export const hold = component(
  'Hold',
  'A change that the engine holds back until an operator accepts it or its cause is gone',
  z.object({
    id: z.string(),
    resource: z.enum([...resourceNames, 'all']),
    reason,
    count,
    message: z.string(),
    raisedAt: time,
    acceptedReason: z
      .string()
      .optional()
      .describe(
        'Reason that the operator gave for accepting the hold, which ends when that takes effect; absent while it is not accepted',
      ),
    replacesTenant: z
      .boolean()
      .optional()
      .describe(
        'True when accepting the hold replaces the data of the tenant with those of another one; absent for others',
      ),
    remedy: z.string().optional().describe('What ends a hold that cannot be accepted; absent for others'),
    effect: z
      .string()
      .optional()
      .describe('What accepting the hold does; absent for one that is accepted or cannot be'),
    advice: z.string().optional().describe('What to compare before accepting the hold; absent where effect is'),
  }),
)

const mode = component(
  'Mode',
  'The state of the incremental or the full syncs of a resource',
  z.object({
    mode: z.enum(syncModes),
    up: z.boolean().describe('Whether the last run succeeded; false before the first'),
    reason: reason.nullable(),
    lastAttemptAt: timeOrNever.describe('Start of the last run, ISO 8601 in UTC; null = never'),
    lastSuccessAt: timeOrNever.describe(
      'Start of the last successful run, or of the full sync that it continued, ISO 8601 in UTC; null = never',
    ),
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
    missing: count.describe(
      'Records absent from a full sync whose removal is not confirmed yet; records on hold are not included',
    ),
    dataAsOf: timeOrNever.describe(
      'Start of the last complete full sync, which gives the age of the data; later than the last success when that full sync ended in a hold',
    ),
    fresh: z
      .boolean()
      .describe(
        'Whether dataAsOf is within the freshness limit and the data is that of this tenant; `state` also covers holds and missing records',
      ),
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
      .describe('Name of its host and a part that is new at each start; the last owner when it is not alive'),
    alive: z.boolean().describe('False when no living replica owns the tenant: its data becomes stale'),
    since: timeOrNever.describe(
      'When the replica became the owner of the tenant; if it is not alive, when the tenant lost its owner',
    ),
    heartbeatAgeSeconds: z
      .number()
      .nullable()
      .describe('Seconds since the last heartbeat of the replica, by the clock of the database; alive is up to 10'),
  }),
)

const tenantStatus = component(
  'TenantStatus',
  'The current status of one tenant',
  z.object({
    tenant: z.string(),
    at: time,
    quality: z
      .enum(['full', 'partial', 'none'])
      .describe('Data quality: full when every enabled resource is fresh and complete, none when no resource is'),
    identity: z.enum(identityStates).describe('Whether the data is confirmed to be that of the tenant'),
    identityMessage: z.string(),
    clockSkewSeconds: z
      .number()
      .nullable()
      .describe("The tenant's clock minus the daemon's; null before the first answer"),
    blockedUntil: time
      .nullable()
      .describe('The API asked to wait: no request is sent before this time; null when requests may be sent'),
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
  }) satisfies z.ZodType<EndedSync>,
)
