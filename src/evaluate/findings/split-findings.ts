import type { Waiver } from '../../config/settings.ts'
import { fingerprintOf } from '../../model/finding.ts'
import { guidKey } from '../../model/guid.ts'
import { type Severity, type SeverityCounts, total } from '../../model/severity.ts'
import type { CheckStateRow, FindingRow, PostureStore } from '../../store/port.ts'
import type { Check } from '../check.ts'
import { anyEntity, isCovering, isValid, lapsesUnder, termsById, waiversOf } from '../waivers/waivers.ts'

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

/** Reads only findings that a waiver names or has lapsed for; a waiver of all entities covers the others by their number. */
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

async function splitCheck(
  request: SplitCheck,
  byCheck: Map<string, SplitCounts>,
  byWaiver: Map<string, Coverage>,
): Promise<void> {
  const { check, all, own, now } = request
  const valid = own.filter((waiver) => isValid(waiver, now))
  const known = await knownFindings(request, valid)
  const forAll = valid.filter(({ entity }) => entity === anyEntity)
  const covered = known.filter(({ coveredBy }) => coveredBy.length > 0)
  const uncovered = known.filter(({ coveredBy }) => coveredBy.length === 0)
  // A waiver for all entities also covers the findings that are not read here.
  const waived = forAll.length === 0 ? countsOf(covered) : minus(all, countsOf(uncovered))
  byCheck.set(check.id, { open: minus(all, waived), waived })
  for (const waiver of own) {
    const isOf = ({ lapsedFor }: KnownFinding) => valid.includes(waiver) && lapsedFor.includes(waiver.id)
    const lapsed = known.filter(isOf).length
    byWaiver.set(waiver.id, {
      covered: forAll.includes(waiver)
        ? Math.max(0, total(all) - lapsed)
        : covered.filter(({ coveredBy }) => coveredBy.includes(waiver)).length,
      lapsed,
      openAgain: uncovered.filter(isOf).length,
    })
  }
}

/** An open finding that a waiver names, or for which one has lapsed. */
interface KnownFinding extends Pick<FindingRow, 'severity'> {
  readonly coveredBy: readonly Waiver[]
  /** Ids of waivers. */
  readonly lapsedFor: readonly string[]
}

async function knownFindings(
  { store, tenant, check, own, now }: SplitCheck,
  valid: readonly Waiver[],
): Promise<readonly KnownFinding[]> {
  const known = new Map<string, KnownFinding>()
  const terms = termsById(own)
  const ofCheck = { tenantIds: [tenant.id], check: check.id }
  const named = valid.filter(({ entity }) => entity !== anyEntity).flatMap((waiver) => fingerprintsOf(waiver, check))
  const filters = [{ ...ofCheck, lapsed: true }, ...(named.length === 0 ? [] : [{ ...ofCheck, fingerprints: named }])]
  for (const filter of filters) {
    for await (const batch of store.findings(filter)) {
      for (const finding of batch) {
        const lapses = lapsesUnder(terms, finding.lapses)
        const coveredBy = valid.filter((waiver) => isCovering(waiver, finding, lapses, now))
        const lapsedFor = lapses.map(({ waiver }) => waiver)
        known.set(finding.fingerprint, { severity: finding.severity, coveredBy, lapsedFor })
      }
    }
  }
  return [...known.values()]
}

export function fingerprintsOf(waiver: Waiver, check: Check): readonly string[] {
  const entities = new Set([waiver.entity, guidKey(waiver.entity)])
  return [...entities].map((entityId) =>
    fingerprintOf({ tenant: waiver.tenant, check: check.id, entityType: check.entity.type, entityId }),
  )
}

function countsOf(rows: readonly { readonly severity: Severity }[]): SeverityCounts {
  const counts: SeverityCounts = {}
  for (const { severity } of rows) counts[severity] = (counts[severity] ?? 0) + 1
  return counts
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
