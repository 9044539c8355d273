import type { Waiver } from '../../config/settings.ts'
import { fingerprintOf } from '../../model/finding.ts'
import { guidKey } from '../../model/guid.ts'
import { type Severity, type SeverityCounts, total } from '../../model/severity.ts'
import type { CheckStateRow, FindingRow, LapseCount, PostureStore, WaiverTerms } from '../../store/port.ts'
import type { Check } from '../check.ts'
import { anyEntity, isCovering, isValid, lapsesOf, termsOf, waiversOf } from '../waivers/waivers.ts'

export interface SplitCounts {
  readonly open: Readonly<SeverityCounts>
  readonly waived: Readonly<SeverityCounts>
}

export interface Coverage {
  readonly covered: number
  readonly lapsed: number
  /** Findings with a lapsed waiver that no other waiver covers. */
  readonly openAgain: number
}

export interface SplitFindings {
  readonly store: PostureStore
  readonly tenant: { readonly id: number; readonly name: string }
  readonly checks: readonly Check[]
  readonly states: readonly CheckStateRow[]
  readonly waivers: readonly Waiver[]
  readonly now: number
}

export interface Split {
  readonly byCheck: ReadonlyMap<string, SplitCounts>
  readonly byWaiver: ReadonlyMap<string, Coverage>
}

/** Reads only findings of entities that a waiver names; for a waiver of all entities uses stored counts. */
export async function splitOpenFindings(request: SplitFindings): Promise<Split> {
  const { tenant, checks, states } = request
  const byCheck = new Map<string, SplitCounts>()
  const byWaiver = new Map<string, Coverage>()
  for (const check of checks) {
    const all = states.find((state) => state.check === check.id)?.open ?? {}
    const own = waiversOf(request.waivers, { tenant: tenant.name, check: check.id })
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

interface Named extends Pick<FindingRow, 'severity'> {
  readonly coveredBy: readonly Waiver[]
  readonly lapsedFor: readonly string[]
}

async function splitCheck(
  request: SplitCheck,
  byCheck: Map<string, SplitCounts>,
  byWaiver: Map<string, Coverage>,
): Promise<void> {
  const { store, tenant, check, all, own, now } = request
  const valid = own.filter((waiver) => isValid(waiver, now))
  const forAll = valid.filter(({ entity }) => entity === anyEntity)
  const named = await findNamed(request, valid)
  const lapseCounts = await store.lapseCounts(tenant.id, check.id)
  const waived =
    forAll.length === 0
      ? countsOf(named.filter(isWaived))
      : minus(all, await uncovered(request, forAll, lapseCounts, named))
  byCheck.set(check.id, { open: minus(all, waived), waived })
  for (const waiver of own) {
    const terms = { waiver: waiver.id, terms: termsOf(waiver) }
    const lapsed = isValid(waiver, now) ? total(lapsedUnder(terms, lapseCounts)) : 0
    const covered = forAll.includes(waiver)
      ? Math.max(0, total(all) - lapsed)
      : named.filter(({ coveredBy }) => coveredBy.includes(waiver)).length
    const openAgain = lapsed === 0 ? 0 : await countOpenAgain(request, waiver, { forAll, lapseCounts, named })
    byWaiver.set(waiver.id, { covered, lapsed, openAgain })
  }
}

interface Waived {
  readonly forAll: readonly Waiver[]
  readonly lapseCounts: readonly LapseCount[]
  readonly named: readonly Named[]
}

/** Findings for which the waiver has lapsed and that no other waiver covers. */
async function countOpenAgain(request: SplitCheck, waiver: Waiver, { forAll, lapseCounts, named }: Waived) {
  const lapsed = await lapsedUnderEach(request, [waiver, ...forAll.filter((one) => one !== waiver)], lapseCounts)
  const others = coveredByNameOnly(named, forAll).filter(({ lapsedFor }) => lapsedFor.includes(waiver.id))
  return Math.max(0, total(lapsed) - others.length)
}

async function uncovered(
  request: SplitCheck,
  forAll: readonly Waiver[],
  lapseCounts: readonly LapseCount[],
  named: readonly Named[],
): Promise<SeverityCounts> {
  const lapsed = await lapsedUnderEach(request, forAll, lapseCounts)
  return minus(lapsed, countsOf(coveredByNameOnly(named, forAll)))
}

function coveredByNameOnly(named: readonly Named[], forAll: readonly Waiver[]): readonly Named[] {
  return named.filter((finding) => isWaived(finding) && !forAll.some((one) => finding.coveredBy.includes(one)))
}

/** Findings for which each of the waivers has lapsed. A waiver for all entities without lapses covers everything. */
async function lapsedUnderEach(
  { store, tenant, check }: SplitCheck,
  waivers: readonly Waiver[],
  counts: readonly LapseCount[],
): Promise<SeverityCounts> {
  const [first, ...others] = waivers.map((waiver) => ({ waiver: waiver.id, terms: termsOf(waiver) }))
  if (first === undefined || [first, ...others].some((one) => total(lapsedUnder(one, counts)) === 0)) return {}
  if (others.length === 0) return lapsedUnder(first, counts)
  return summed(await store.lapsedUnderAll(tenant.id, check.id, [first, ...others]))
}

function lapsedUnder({ waiver, terms }: WaiverTerms, counts: readonly LapseCount[]): SeverityCounts {
  return summed(counts.filter((one) => one.waiver === waiver && one.terms === terms))
}

function summed(counts: readonly Pick<LapseCount, 'severity' | 'count'>[]): SeverityCounts {
  const sums: SeverityCounts = {}
  for (const { severity, count } of counts) sums[severity] = (sums[severity] ?? 0) + count
  return sums
}

function isWaived({ coveredBy }: Named): boolean {
  return coveredBy.length > 0
}

async function findNamed(request: SplitCheck, valid: readonly Waiver[]): Promise<readonly Named[]> {
  const { store, tenant, check, own, now } = request
  const naming = valid.filter(({ entity }) => entity !== anyEntity)
  if (naming.length === 0) return []
  const fingerprints = [...new Set(naming.flatMap((waiver) => fingerprintsOf(waiver, check)))]
  const found: Named[] = []
  for await (const batch of store.findings({ tenantIds: [tenant.id], check: check.id, fingerprints })) {
    const lapses = lapsesOf(own, await store.lapses(batch.map(({ fingerprint }) => fingerprint)))
    for (const finding of batch.filter(({ fingerprint }) => fingerprints.includes(fingerprint))) {
      const ended = lapses.get(finding.fingerprint) ?? []
      const coveredBy = valid.filter((waiver) => isCovering(waiver, finding, ended, now))
      found.push({ severity: finding.severity, coveredBy, lapsedFor: ended.map(({ waiver }) => waiver) })
    }
  }
  return found
}

export function fingerprintsOf(waiver: Waiver, check: Check): readonly string[] {
  const entities = new Set([waiver.entity, guidKey(waiver.entity)])
  return [...entities].map((entityId) =>
    fingerprintOf({ tenant: waiver.tenant, check: check.id, entityType: check.entity.type, entityId }),
  )
}

function countsOf(rows: readonly { readonly severity: Severity }[]): SeverityCounts {
  return summed(rows.map(({ severity }) => ({ severity, count: 1 })))
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
