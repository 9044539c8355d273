import type { Waiver } from '../../config/settings.ts'
import { hasPlainIds } from '../../model/entity-names.ts'
import { fingerprintOf, type NamedFinding } from '../../model/finding.ts'
import { guidKey } from '../../model/guid.ts'
import type { OwnerRule } from '../../model/owners.ts'
import type { CheckView } from '../../model/posture.ts'
import { highestFirst, type Severity, type SeverityCounts, total } from '../../model/severity.ts'
import { plainId } from '../../model/text/printable.ts'
import type { CheckStateRow, FindingFilter, FindingRow, FindingStore } from '../../store/port.ts'
import type { CheckFacts } from '../check.ts'
import { findingOwner, type NameSource, ownByName, readNamingFields } from './owners.ts'
import { anyEntity, isValid, termsOf, type WaiverMatch, waiverMatcher, waiversOf } from './waivers.ts'

/** Findings of a check by severity. */
export type SplitCounts = Pick<CheckView, 'open' | 'waived'>

export interface Coverage {
  readonly covered: number
  readonly lapsed: number
  /** Findings with a lapsed waiver that no other waiver covers. */
  readonly openAgain: number
}

interface OpenFindings {
  readonly store: Pick<FindingStore, 'findings'>
  readonly tenant: { readonly id: number; readonly name: string }
  readonly waivers: readonly Waiver[]
  readonly now: number
}

interface Matched {
  readonly finding: FindingRow
  readonly match: WaiverMatch
}

/** Open findings of a check with what waivers say of them. */
async function* matchedFindings(
  { store, tenant, waivers, now }: OpenFindings,
  filter: Pick<FindingFilter, 'check' | 'fingerprints' | 'lapsed' | 'severities'>,
): AsyncGenerator<Matched> {
  const matchOf = waiverMatcher(waivers)
  for await (const batch of store.findings({ ...filter, tenantIds: [tenant.id] }))
    for (const finding of batch) yield { finding, match: matchOf(finding, now) }
}

export interface SplitFindings extends OpenFindings {
  readonly checks: readonly CheckFacts[]
  readonly states: readonly CheckStateRow[]
}

/** Reads only findings that a waiver names or has lapsed for; a waiver of all entities covers the others by their number. */
export async function splitOpenFindings(request: SplitFindings) {
  const { tenant, checks, states, now } = request
  const byCheck = new Map<string, SplitCounts>()
  /** Of valid waivers. */
  const byWaiver = new Map<string, Coverage>()
  for (const check of checks) {
    const all = states.find((state) => state.check === check.id)?.open ?? {}
    const own = waiversOf(request.waivers, { tenant: tenant.name, check: check.id })
    const waivers = own.filter((waiver) => isValid(waiver, now))
    const known = waivers.length === 0 ? [] : await waiverFindings({ ...request, waivers }, check)
    const uncovered = known.filter(({ match }) => match.coveredBy.length === 0)
    const covered = known.filter(({ match }) => match.coveredBy.length > 0)
    // A waiver for all entities also covers the findings that are not read here.
    const isForAll = waivers.some(({ entity }) => entity === anyEntity)
    const waived = isForAll ? minus(all, countsOf(uncovered)) : countsOf(covered)
    byCheck.set(check.id, { open: minus(all, waived), waived })
    for (const { id, entity } of waivers) {
      const hasLapsed = ({ match }: Matched) => match.lapses.some(({ waiver }) => waiver === id)
      const isCovered = ({ match }: Matched) => match.coveredBy.some((waiver) => waiver.id === id)
      const lapsed = known.filter(hasLapsed).length
      byWaiver.set(id, {
        covered: entity === anyEntity ? Math.max(0, total(all) - lapsed) : covered.filter(isCovered).length,
        lapsed,
        openAgain: uncovered.filter(hasLapsed).length,
      })
    }
  }
  return { byCheck, byWaiver }
}

/** Findings that one of these waivers names or has lapsed for. */
async function waiverFindings(request: OpenFindings, check: CheckFacts): Promise<readonly Matched[]> {
  const named = request.waivers.filter(({ entity }) => entity !== anyEntity)
  const fingerprints = named.flatMap((waiver) => fingerprintsOf(waiver, check))
  const known = new Map<string, Matched>()
  for (const filter of [{ lapsed: true }, { fingerprints }])
    for await (const one of matchedFindings(request, { ...filter, check: check.id }))
      known.set(one.finding.fingerprint, one)
  return [...known.values()]
}

export function fingerprintsOf(waiver: Waiver, check: CheckFacts): readonly string[] {
  const entities = new Set([waiver.entity, guidKey(waiver.entity)])
  return [...entities].map((entityId) =>
    fingerprintOf({ tenant: waiver.tenant, check: check.id, entityType: check.entity.type, entityId }),
  )
}

function countsOf(rows: readonly Matched[]): SeverityCounts {
  const counts: SeverityCounts = {}
  for (const { finding } of rows) counts[finding.severity] = (counts[finding.severity] ?? 0) + 1
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

/** Findings of one check that are exported as series. */
const maxTopFindings = 10

/** `waivers`: those of the check. */
export interface TopFindings extends OpenFindings {
  readonly store: OpenFindings['store'] & NameSource
  readonly check: Pick<CheckFacts, 'id' | 'entity'>
  /** Of the tenant, from before the findings are read: each change of findings and waivers raises it. */
  readonly lastEventId: number
  readonly counts: Pick<CheckView, 'open' | 'waived'>
  readonly owners?: readonly OwnerRule[]
}

/** By severity, then as they were first opened. */
export async function topFindings(request: TopFindings): Promise<readonly NamedFinding[]> {
  const { store, check, counts, tenant, owners = [], waivers, now } = request
  // A waiver for all entities covers every finding for which it has not lapsed.
  const lapsed = waivers.some((one) => one.entity === anyEntity && isValid(one, now))
  const found: FindingRow[] = []
  for (const severity of highestFirst) {
    const end = Math.min(maxTopFindings, found.length + (counts.open[severity] ?? 0))
    if (found.length === end) continue
    const filter = { check: check.id, severities: [severity], lapsed }
    for await (const { finding, match } of matchedFindings(request, filter)) {
      if (match.coveredBy.length === 0) found.push(finding)
      if (found.length === end) break
    }
  }
  const fields = ownByName(owners) ? await readNamingFields(found, store, [tenant]) : null
  return found.map((row) => {
    const { fingerprint, severity, entityType, entityId } = row
    const owner = findingOwner(owners, row, fields?.get(row)) ?? ''
    const shownId = isPublicId(check, entityId) ? entityId : ''
    return { check: check.id, severity, entityType, entityId: shownId, fingerprint, owner }
  })
}

/** True if the id of an entity of the check names no person and no file. */
export function isPublicId({ entity, own }: Pick<CheckFacts, 'entity' | 'own'>, id: string): boolean {
  return own === undefined && hasPlainIds(entity.type) && plainId.test(id)
}

/** `topFindings` with a cache, which is valid for one configuration. */
export function topFindingsMemory(): typeof topFindings {
  const kept = new Map<string, { readonly basis: string; readonly findings: readonly NamedFinding[] }>()
  return async (request) => {
    const { tenant, check, lastEventId, counts, waivers, now } = request
    const key = `${tenant.id} ${check.id}`
    const valid = waivers.filter((waiver) => isValid(waiver, now)).map(termsOf)
    const basis = JSON.stringify([lastEventId, counts.open, counts.waived, valid])
    const known = kept.get(key)
    if (known?.basis === basis) return known.findings
    const findings = await topFindings(request)
    kept.set(key, { basis, findings })
    return findings
  }
}
