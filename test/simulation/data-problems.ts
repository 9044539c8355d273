import { checks } from '../../src/checks/index.ts'
import type { TenantSettings } from '../../src/config/settings.ts'
import { type Check, inputsOf } from '../../src/evaluate/check.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { minuteMs } from '../../src/model/time.ts'
import type { WallClock } from './clocks.ts'
import type { Ledger } from './ledger.ts'
import type { Machine } from './machine.ts'
import type { ResolvedFinding } from './oracle-mirror.ts'
import { worldResources } from './world.ts'

export interface ProblemParts {
  readonly settings: TenantSettings
  readonly wall: WallClock
  readonly ledger: Ledger
  readonly machine: Machine
  /** True when the tenant refused a resource as it was last asked for. */
  readonly denied: (resource: ResourceName) => boolean
  /** Why the time of a check's inputs cannot be relied on; null when it can. */
  readonly skewOf: (check: Check) => string | null
}

/** Unreliable data at one instant, derived from the wire, the clocks and the mirror's rows, not from the evaluation. */
export interface DataProblems {
  /** Why nothing of a resource can. */
  readonly blocked: ReadonlyMap<ResourceName, string>
  /** Why some of it cannot. */
  readonly partial: ReadonlyMap<ResourceName, string>
  /** Lists that may not be what they seem, so that none of their records can be relied on. */
  readonly suspect: ReadonlySet<ResourceName>
  /** Single records with a data problem, as `resource key`. */
  readonly records: ReadonlySet<string>
  /** Records that a check cannot evaluate by what is mirrored, as `check key`. */
  readonly unclear: ReadonlySet<string>
  /** Why the time of a check's inputs cannot be relied on, as `DoubtParts` has it. */
  readonly skews: ReadonlyMap<string, string>
  /** The check that cannot be evaluated. */
  readonly ailing: string | null
}

interface Flaw {
  readonly flaw: string
  readonly resource: ResourceName | 'all'
  readonly key: string | null
}

const flawQuery = `
  select 'quarantined' as flaw, resource, key from quarantine
  union all select 'missing', 'users', cast(user_id as text) from users where missing_since is not null and removed_at is null
  union all select 'absent', 'documents', file_key from documents where absent_full_syncs > 0 and removed_at is null
  union all select 'absent', 'api-clients', client_key from api_clients where absent_full_syncs > 0 and removed_at is null
  union all select reason, resource, null from holds`

/** No role of the name, or roles of one name that differ: the check is unknown (docs/checks.md). */
const unclearQuery = `
  select 'api-client-least-privilege ' || client_key as name from api_clients
  where removed_at is null and not exists
    (select 1 from roles where roles.removed_at is null and roles.name = api_clients.role_name)
  union all select 'user-role-active ' || user_id from users
  where removed_at is null and role_id is null and
    (select count(distinct roles.state = 'Active') from roles
     where roles.removed_at is null and roles.name = users.role_name) > 1`

/** Looks at everything that a check result may not rest on. */
export function problemsNow(parts: ProblemParts): DataProblems {
  const { machine, denied, skewOf } = parts
  const blocked = new Map<ResourceName, string>()
  const partial = new Map<ResourceName, string>()
  const suspect = new Set<ResourceName>()
  const records = new Set<string>()
  const durations = machine.query('select resource, complete_duration_ms as ms from sync_states')
  for (const resource of worldResources) {
    const duration = Number(durations.find((row) => row['resource'] === resource)?.['ms'] ?? 0)
    if (isStale(parts, resource, duration)) blocked.set(resource, 'stale')
    if (denied(resource)) blocked.set(resource, 'refused')
  }
  for (const { flaw, resource, key } of machine.query(flawQuery) as unknown as Flaw[]) {
    if (key !== null) records.add(`${resource} ${key}`)
    for (const one of resource === 'all' ? worldResources : [resource]) {
      if (flaw === 'tenant_changed') blocked.set(one, 'on hold')
      else if (flaw !== 'absent') partial.set(one, flaw)
      if (flaw === 'suspect_empty') suspect.add(one)
    }
  }
  const unclear = new Set(machine.query(unclearQuery).map(({ name }) => String(name)))
  const skews = new Map(checks.flatMap((check) => entry(check.id, skewOf(check))))
  return { blocked, partial, suspect, records, unclear, skews, ailing: machine.ailing }
}

const entry = (id: string, flaw: string | null): [string, string][] => (flaw === null ? [] : [[id, flaw]])

/** "older than its freshness limit … counted from the start of the last complete full sync", by this machine's clock. */
function isStale({ settings, wall, ledger }: ProblemParts, resource: ResourceName, durationMs: number): boolean {
  const begun = Math.max(ledger.wire.answered(resource), ledger.unknowable.get(resource) ?? 0)
  const longest = Math.max(settings.resources[resource].full.intervalMs, durationMs)
  return wall.leastAge(begun) > Math.max(15 * minuteMs, 3 * longest)
}

/** Why a finding of a check may not end so now; null when it may. */
export function problemOf(
  problems: DataProblems,
  check: Check,
  { entityId, resolution }: ResolvedFinding,
): string | null {
  const { blocked, partial, suspect, records, unclear, skews, ailing } = problems
  // "A removal was decided by a complete full sync, so that it ends the finding whatever came after" (src/evaluate).
  if (resolution === 'entity_removed') return null
  if (ailing === check.id) return 'the check cannot be evaluated'
  const skew = skews.get(check.id)
  if (check.timeBased && skew !== undefined) return skew
  for (const input of inputsOf(check)) {
    // A check that evaluates records one by one is affected only by a problem of that record, and a requirement is met by one.
    const isOfOne = check.entity.isRecord || (check.id === 'document-required-present' && resolution === 'fixed')
    const isOwn = isOfOne && input === check.evaluates
    const flaw = blocked.get(input) ?? (isOwn && !suspect.has(input) ? undefined : partial.get(input))
    if (flaw !== undefined) return `${input} are ${flaw}`
  }
  if (resolution === 'fixed' && unclear.has(`${check.id} ${entityId}`)) return 'it cannot be evaluated'
  const hasProblem = check.entity.isRecord && records.has(`${check.evaluates} ${entityId}`)
  return hasProblem ? 'its record has a data problem' : null
}
