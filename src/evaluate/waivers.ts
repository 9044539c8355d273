import type { Waiver } from '../config/settings.ts'
import type { CheckStateRow, FindingRow, FindingStore } from '../mirror/port.ts'
import type { Severity } from '../model/severity.ts'
import type { Check } from './check.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Stands for every entity of a check. */
const any = '*'

const guid = /^[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}$/i

type WaivedEntity = Pick<FindingRow, 'tenant' | 'check' | 'entityId'>

/** The waiver that covers a finding at `now`, the one that lasts longest; null when none does. */
export function waiverOf(finding: WaivedEntity, waivers: readonly Waiver[], now: number): Waiver | null {
  const covering = waivers.filter((waiver) => covers(waiver, finding) && isValid(waiver, now))
  return covering.reduce<Waiver | null>((best, one) => (best && best.expiresMs >= one.expiresMs ? best : one), null)
}

/** True up to and including the waiver's last instant. */
export function isValid(waiver: Waiver, now: number): boolean {
  return now <= waiver.expiresMs
}

function covers(waiver: Waiver, { tenant, check, entityId }: WaivedEntity): boolean {
  if (waiver.check !== check || waiver.tenant !== tenant) return false
  return waiver.entity === any || entityNames(waiver).includes(entityId)
}

/** GUIDs are compared in lower case, which the mirror's keys have; file names that differ in it are different entities. */
function entityNames({ entity }: Waiver): readonly string[] {
  return guid.test(entity) ? [entity, entity.toLowerCase()] : [entity]
}

export type SeverityCounts = Partial<Record<Severity, number>>

export interface SplitCounts {
  readonly open: Readonly<SeverityCounts>
  readonly waived: Readonly<SeverityCounts>
}

export interface SplitFindings {
  readonly store: FindingStore
  readonly tenant: { readonly id: number; readonly name: string }
  readonly checks: readonly Check[]
  /** The last verdicts, with the counts of what is open. */
  readonly states: readonly CheckStateRow[]
  readonly waivers: readonly Waiver[]
  readonly now: number
}

/** Counts the open findings of each check by severity, waived ones apart; reads only the findings that waivers name. */
export async function splitOpenFindings(request: SplitFindings): Promise<ReadonlyMap<string, SplitCounts>> {
  const { tenant, checks, states, now } = request
  const valid = request.waivers.filter((waiver) => isValid(waiver, now) && waiver.tenant === tenant.name)
  const split = new Map<string, SplitCounts>()
  for (const check of checks) {
    const all = states.find((state) => state.check === check.id)?.open ?? {}
    const own = valid.filter((waiver) => waiver.check === check.id)
    const waived = own.some(({ entity }) => entity === any) ? all : await countNamed(request, check, own)
    split.set(check.id, { open: minus(all, waived), waived })
  }
  return split
}

function countsOf(rows: readonly { readonly severity: Severity; readonly count: number }[]): SeverityCounts {
  const counts: SeverityCounts = {}
  for (const { severity, count } of rows) counts[severity] = (counts[severity] ?? 0) + count
  return counts
}

async function countNamed(request: SplitFindings, check: Check, waivers: readonly Waiver[]): Promise<SeverityCounts> {
  if (waivers.length === 0) return {}
  const { store, tenant } = request
  const names = waivers.flatMap(entityNames)
  const wanted = new Set(
    names.map((entityId) =>
      fingerprintOf({ tenant: tenant.name, check: check.id, entityType: check.entity.type, entityId }),
    ),
  )
  const found: { severity: Severity; count: number }[] = []
  const filter = { tenantIds: [tenant.id], check: check.id, fingerprints: [...wanted] }
  for await (const batch of store.findings(filter)) {
    for (const { fingerprint, severity } of batch) if (wanted.has(fingerprint)) found.push({ severity, count: 1 })
  }
  return countsOf(found)
}

function minus(all: SeverityCounts, waived: SeverityCounts): SeverityCounts {
  const rest: SeverityCounts = {}
  for (const [name, count] of Object.entries(all)) {
    const severity = name as Severity
    const left = count - (waived[severity] ?? 0)
    if (left > 0) rest[severity] = left
  }
  return rest
}
