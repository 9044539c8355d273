import * as z from 'zod'
import { resourceNames } from '../../model/resource-names.ts'
import { component, resource, severity, time } from './schemas.ts'

const tenant = z.string()
const requestId = z.string().nullable().describe('Request that showed it; null = unknown')

const historyEntry = component(
  'HistoryEntry',
  'One element of `tenantwatch history --format json`: a change in the mirror, or what an operator accepted',
  z.object({
    at: time,
    tenant,
    resource: z
      .enum([...resourceNames, 'all'])
      .nullable()
      .describe('null for an own check that is gone'),
    entity: z.string().describe('Id, or name of a resource without ids; of an accepted hold its id'),
    change: z
      .string()
      .describe(
        'created, changed, removed, returned, hold_accepted, drift_accepted, or waiver_ with what became of it',
      ),
    field: z.string().nullable().describe('Of an accepted hold its reason; of drift and waivers the check'),
    before: z.unknown(),
    after: z.unknown().describe('Of an accepted hold the number of records; of a waiver its id'),
    requestId,
    reason: z.string().nullable().describe('In the words of the operator'),
    by: z.string().nullable().describe('Who accepted it, or the owner of the waiver'),
  }),
)

const expiring = component(
  'Expiring',
  'One element of `tenantwatch expiring --format json`: a client secret or a waiver',
  z.object({
    expires: time,
    daysLeft: z.int().describe('Whole days; negative a day after the end'),
    tenant,
    kind: z.enum(['secret', 'waiver']),
    id: z.string().describe('Of the API client, or of the waiver'),
    name: z.string().nullable().describe('Of the API client'),
    role: z.string().nullable().describe('Of the API client'),
    own: z.boolean().describe('True for the API client of tenantwatch itself'),
    check: z.string().nullable().describe('Of the waiver'),
    entity: z.string().nullable().describe('Of the waiver'),
    owner: z.string().nullable().describe('Of the waiver'),
    state: z.string(),
  }),
)

const checkFacts = component(
  'CheckFacts',
  'One element of `tenantwatch checks --format json`',
  z.object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    risk: z.string(),
    remediation: z.string(),
    severities: z.array(severity),
    evaluates: resource.nullable().describe('null for an own check with a problem'),
    needs: z.array(resource).describe('Further resources that it reads'),
    entityType: z.string(),
    assumptions: z
      .array(z.object({ tenant, assumption: z.string() }))
      .optional()
      .describe('What tenants take for granted without a configuration; absent for own checks'),
    own: z
      .object({
        file: z.string(),
        frameworks: z.array(z.string()),
        problem: z.string().nullable().describe('Why it cannot be evaluated'),
      })
      .optional()
      .describe('Absent for built-in checks'),
  }),
)

const accepting = component(
  'Accepting',
  'One element of `tenantwatch accept --format json`: a hold or drift that can be accepted',
  z.object({
    id: z.string(),
    kind: z.enum(['hold', 'drift']),
    tenant,
    subject: z.string().describe('Resource of a hold, or all; check of drift'),
    reason: z.string().describe('Reason of a hold, severity of drift'),
    count: z.int().nullable().describe('Number of held records; null for drift'),
    accepted: z.boolean().describe('True until an engine has applied it'),
    text: z.string(),
    next: z.string().nullable().describe('What to do'),
  }),
)

const heldRecord = component(
  'HeldRecord',
  'One element of `tenantwatch accept HOLD --list --format json`: a record that accepting the hold removes',
  z.object({
    id: z.string(),
    name: z.string().optional(),
    email: z.string().optional(),
    filename: z.string().optional(),
  }),
)

const quarantined = component(
  'Quarantined',
  'One element of `tenantwatch doctor --quarantine --format json`: a record that could not be read',
  z.object({
    tenant,
    resource,
    id: z.string(),
    problem: z.string(),
    since: time,
    requestId,
  }),
)

/** The JSON of commands that list something, in the same document as that of the server. */
export const commandOutputs = { historyEntry, expiring, checkFacts, accepting, heldRecord, quarantined }
