import { z } from 'zod'
import { checkStatuses, resolutions } from '../../model/check-status.ts'
import type { FindingView } from '../../model/finding.ts'
import { identityStates } from '../../model/posture.ts'
import { reasons, unknownReasons } from '../../model/reasons.ts'
import { resourceNames, syncModes } from '../../model/resource-names.ts'
import { severities } from '../../model/severity.ts'
import { resourceStates } from '../data-quality.ts'

/** Names and descriptions under which the document lists the schemas. */
export const components = z.registry<{ readonly id: string; readonly description: string }>()

const count = z.int().min(0)
const time = z.iso.datetime().describe('ISO 8601 in UTC')
const timeOrNever = time.nullable().describe('ISO 8601 in UTC; null = never')
const seconds = z.number().describe('Seconds')

function component<T extends z.ZodType>(id: string, description: string, schema: T): T {
  components.add(schema, { id, description })
  return schema
}

const severity = component('Severity', 'From the mildest to the most severe', z.enum(severities))
const resource = component('Resource', 'What is mirrored of a tenant', z.enum(resourceNames))
const reason = component('Reason', 'Why a run or a request failed, or something is held', z.enum(reasons))
const unknownReason = component('UnknownReason', 'Why a check cannot be evaluated', z.enum(unknownReasons))
const checkStatus = component('CheckStatus', 'What can be said of a check now', z.enum(checkStatuses))
const bySeverity = component(
  'CountsBySeverity',
  'Findings by severity; one left out is 0',
  z.partialRecord(severity, count),
)

export const error = component('Error', 'Why a request under /api/ was refused', z.object({ error: z.string() }))

const waiverMark = component(
  'WaiverMark',
  'How a waiver stands to a finding',
  z.object({
    id: z.string(),
    owner: z.string(),
    reason: z.string(),
    expires: z.string().describe('The last day on which it counts, YYYY-MM-DD'),
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
      .describe('Lasting name of the finding'),
    tenant: z.string(),
    check: z.string(),
    entity: z.object({ type: z.string(), id: z.string() }),
    severity,
    state: z.enum(['open', 'waived', 'resolved']),
    message: z.string().describe('One sentence for an auditor; it names no person, e-mail or file'),
    evidence: z.record(z.string(), z.unknown()).describe('The raw facts that decided, and when they were read'),
    firstSeen: time,
    lastSeen: time,
    resolvedAt: time.nullable(),
    resolution: z.enum(resolutions).nullable(),
    reopened: count,
    waiver: waiverMark.nullable(),
  }) satisfies z.ZodType<FindingView>,
)

export const check = component(
  'Check',
  'A check of a tenant with its present status: the ages of its inputs are applied at each request',
  z.object({
    tenant: z.string(),
    check: z.string(),
    title: z.string().describe('States the passing case'),
    enabled: z.boolean(),
    status: checkStatus,
    reason: unknownReason.nullable().describe('Set exactly when the status is unknown'),
    assumption: z.string().optional().describe('What its configuration assumes without anybody having said so'),
    problem: z.string().optional().describe('Why an own check cannot be evaluated, or not all of its entities'),
    entities: count.nullable().describe('How many it is about; null when that was not known'),
    notEvaluated: count.nullable().describe('How many of them could not be evaluated; null when that was not known'),
    unevaluated: z.array(z.string()).optional().describe('At most ten of those by id'),
    severities: z.array(severity).describe('Those its findings can have'),
    open: bySeverity,
    waived: bySeverity,
    evaluatedAt: timeOrNever,
    since: timeOrNever,
  }),
)

const hold = component(
  'Hold',
  'Something that is not done until an operator accepts it or its cause is gone',
  z.object({
    id: z.string(),
    resource: z.enum([...resourceNames, 'all']),
    reason,
    count,
    message: z.string(),
    raisedAt: time,
  }),
)

const mode = component(
  'Mode',
  'How the runs of one kind stand',
  z.object({
    mode: z.enum(syncModes),
    up: z.boolean().describe('Whether the last run succeeded; false before the first'),
    reason: reason.nullable(),
    lastAttemptAt: timeOrNever,
    lastSuccessAt: timeOrNever,
    freshnessLimitSeconds: seconds,
  }),
)

const resourceStatus = component(
  'ResourceStatus',
  'What is mirrored of one resource, and how far it can be believed',
  z.object({
    resource,
    enabled: z.boolean(),
    state: z.enum([...resourceStates, 'off']),
    live: count.describe('Records'),
    quarantined: count,
    missing: count.describe(
      'Records absent from a full sync and not confirmed yet; what a hold keeps is counted there',
    ),
    dataAsOf: timeOrNever.describe(
      'Start of the last complete full sync: the age of the data; later than any success where that full sync ended in a hold',
    ),
    fresh: z.boolean().describe('Whether dataAsOf lies within its limit; that alone is no trust: see state'),
    freshnessLimitSeconds: seconds,
    message: z.string().nullable().describe('One sentence of the last failure'),
    modes: z.array(mode),
  }),
)

const tenantStatus = component(
  'TenantStatus',
  'How one tenant stands',
  z.object({
    tenant: z.string(),
    at: time,
    quality: z.enum(['full', 'partial', 'none']).describe('Whether its check results can be believed'),
    identity: z.enum(identityStates).describe('Whether the data is known to be that of the tenant'),
    identityMessage: z.string(),
    clockSkewSeconds: z.number().nullable().describe("The tenant's clock minus this one; null before it was seen"),
    blockedUntil: time.nullable().describe('Nothing is sent before; null when nothing is in the way'),
    holds: z.array(hold),
    resources: z.array(resourceStatus),
    checks: z.record(checkStatus, count).describe('Enabled checks by status'),
    findings: z.object({ open: z.record(severity, count), openTotal: count, waivedTotal: count }),
  }),
)

export const status = component(
  'Status',
  'How every configured tenant stands now',
  z.object({ version: z.string(), at: time, tenants: z.array(tenantStatus) }),
)
