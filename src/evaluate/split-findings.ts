import type { Waiver } from '../config/settings.ts'
import type { CheckStateRow, FindingRow, Lapse, PostureStore } from '../mirror/port.ts'
import type { Severity } from '../model/severity.ts'
import type { Check } from './check.ts'
import { fingerprintOf } from './fingerprint.ts'
import { anyEntity, entityKeyOf, isValid } from './waiver-terms.ts'
import { isCovering, lapsesOf } from './waivers.ts'

export type SeverityCounts = Partial<Record<Severity, number>>

export interface SplitCounts {
  readonly open: Readonly<SeverityCounts>
  readonly waived: Readonly<SeverityCounts>
}

/** How many open findings a waiver covers, and how many no longer. */
export interface Coverage {
  readonly covered: number
  readonly lapsed: number
}

export interface SplitFindings {
  readonly store: PostureStore
  readonly tenant: { readonly id: number; readonly name: string }
  readonly checks: readonly Check[]
  /** The last verdicts, with the counts of what is open. */
  readonly states: readonly CheckStateRow[]
  readonly waivers: readonly Waiver[]
  readonly now: number
}

export interface Split {
  readonly byCheck: ReadonlyMap<string, SplitCounts>
  readonly byWaiver: ReadonlyMap<string, Coverage>
}

/**
 * Counts the open findings of each check by severity, waived ones apart. Of findings only those are read that waivers
 * name and those whose waiver lapsed: a waiver for all covers the rest by their count.
 */
export async function splitOpenFindings(request: SplitFindings): Promise<Split> {
  const { tenant, checks, states } = request
  const byCheck = new Map<string, SplitCounts>()
  const byWaiver = new Map<string, Coverage>()
  for (const check of checks) {
    const all = states.find((state) => state.check === check.id)?.open ?? {}
    const own = request.waivers.filter((waiver) => waiver.tenant === tenant.name && waiver.check === check.id)
    if (own.length === 0) byCheck.set(check.id, { open: all, waived: {} })
    else await splitCheck({ ...request, check, all, own }, byCheck, byWaiver)
  }
  return { byCheck, byWaiver }
}

interface SplitCheck extends SplitFindings {
  readonly check: Check
  readonly all: SeverityCounts
  readonly own: readonly Waiver[]
}

type Weighed = Pick<FindingRow, 'fingerprint' | 'entityId' | 'severity'>

async function splitCheck(
  request: SplitCheck,
  byCheck: Map<string, SplitCounts>,
  byWaiver: Map<string, Coverage>,
): Promise<void> {
  const { store, tenant, check, all, own, now } = request
  const stored = await store.lapses({ tenantId: tenant.id, check: check.id })
  const lapses = lapsesOf(own, stored)
  const covers = (waiver: Waiver, { fingerprint, entityId }: Weighed) =>
    isCovering(waiver, { tenant: tenant.name, check: check.id, entityId }, lapses.get(fingerprint) ?? [], now)
  // What lapsed under the only waiver that there is is covered by none: it need not be looked at one by one.
  const isWaived = (finding: Weighed) => own.length > 1 && own.some((waiver) => covers(waiver, finding))
  const valid = own.filter((waiver) => isValid(waiver, now))
  const forAll = valid.some(({ entity }) => entity === anyEntity)
  const named = await findNamed(request, valid)
  const lapsed = [...lapses.values()].flatMap(([lapse]) => lapse ?? [])
  const waived = forAll
    ? minus(all, countsOf(lapsed.filter((one) => !isWaived(one))))
    : countsOf(named.filter((finding) => own.some((waiver) => covers(waiver, finding))))
  byCheck.set(check.id, { open: minus(all, waived), waived })
  for (const waiver of own) {
    const gone = isValid(waiver, now) ? lapsesOfWaiver(lapses, waiver) : 0
    const covered =
      waiver.entity === anyEntity && isValid(waiver, now)
        ? Math.max(0, total(all) - gone)
        : named.filter((finding) => covers(waiver, finding)).length
    byWaiver.set(waiver.id, { covered, lapsed: gone })
  }
}

function lapsesOfWaiver(lapses: ReadonlyMap<string, readonly Lapse[]>, { id }: Waiver): number {
  return [...lapses.values()].flat().filter(({ waiver }) => waiver === id).length
}

/** The open findings of entities that a valid waiver names. */
async function findNamed({ store, tenant, check }: SplitCheck, valid: readonly Waiver[]): Promise<readonly Weighed[]> {
  const named = valid.filter(({ entity }) => entity !== anyEntity)
  if (named.length === 0) return []
  const wanted = new Set(named.flatMap((waiver) => fingerprintsOf(waiver, check)))
  const filter = { tenantIds: [tenant.id], check: check.id, fingerprints: [...wanted] }
  const found: Weighed[] = []
  for await (const batch of store.findings(filter)) {
    found.push(...batch.filter(({ fingerprint }) => wanted.has(fingerprint)))
  }
  return found
}

/** The fingerprints of the findings that a waiver for one entity may be about. */
export function fingerprintsOf(waiver: Waiver, check: Check): readonly string[] {
  const entities = new Set([waiver.entity, entityKeyOf(waiver)])
  return [...entities].map((entityId) =>
    fingerprintOf({ tenant: waiver.tenant, check: check.id, entityType: check.entity.type, entityId }),
  )
}

function countsOf(rows: readonly { readonly severity: Severity }[]): SeverityCounts {
  const counts: SeverityCounts = {}
  for (const { severity } of rows) counts[severity] = (counts[severity] ?? 0) + 1
  return counts
}

function total(counts: SeverityCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function minus(all: SeverityCounts, part: SeverityCounts): SeverityCounts {
  const rest: SeverityCounts = {}
  for (const [name, count] of Object.entries(all)) {
    const severity = name as Severity
    const left = count - (part[severity] ?? 0)
    if (left > 0) rest[severity] = left
  }
  return rest
}
