import type { Waiver } from '../../config/settings.ts'
import type { NamedFinding } from '../../model/finding.ts'
import type { CheckView } from '../../model/posture.ts'
import { hasAny, type Severity, severities } from '../../model/severity.ts'
import { plainId } from '../../model/text/printable.ts'
import type { FindingRow, FindingStore } from '../../store/port.ts'
import type { CheckFacts } from '../check.ts'
import { anyEntity, isCovering, isValid, lapsesUnder, termsById, termsOf } from '../waivers/waivers.ts'
import { type Ownership, readOwners } from './owners.ts'

/** Findings of one check that are exported as series. */
const maxTopFindings = 10

export interface TopFindings {
  readonly store: Pick<FindingStore, 'findings'>
  readonly tenant: { readonly id: number; readonly name: string }
  readonly check: Pick<CheckFacts, 'id' | 'entity'>
  /** Of the tenant, from before the findings are read: each change of findings and waivers raises it. */
  readonly lastEventId: number
  readonly counts: Pick<CheckView, 'open' | 'waived'>
  readonly waivers: readonly Waiver[]
  readonly ownership?: Ownership
  readonly now: number
}

/** By severity, then by first seen (oldest first), then by fingerprint, so that the order is stable. */
export async function topFindings(request: TopFindings): Promise<readonly NamedFinding[]> {
  const { check, counts, tenant, ownership } = request
  const found: FindingRow[] = []
  for (const severity of severities.toReversed()) {
    const wanted = Math.min(maxTopFindings - found.length, counts.open[severity] ?? 0)
    if (wanted > 0) found.push(...(await topOf(request, severity, wanted)))
  }
  const owned = ownership === undefined ? [] : await readOwners(found, ownership, [tenant])
  return found.map(({ fingerprint, severity, entityType, entityId }, i) => {
    const facts = { check: check.id, severity, entityType, entityId: shownId(check, entityId), fingerprint }
    return { ...facts, owner: owned[i] ?? '' }
  })
}

async function topOf(request: TopFindings, severity: Severity, wanted: number): Promise<readonly FindingRow[]> {
  const { store, tenant, check, waivers, now } = request
  const found: FindingRow[] = []
  const terms = termsById(waivers)
  const filter = {
    tenantIds: [tenant.id],
    check: check.id,
    severities: [severity],
    order: 'age' as const,
    // A waiver for all entities covers every finding for which it has not lapsed.
    lapsed: waivers.some((one) => one.entity === anyEntity && isValid(one, now)),
  }
  for await (const batch of store.findings(filter)) {
    for (const finding of batch) {
      const lapses = lapsesUnder(terms, finding.lapses)
      if (waivers.some((waiver) => isCovering(waiver, finding, lapses, now))) continue
      found.push(finding)
      if (found.length === wanted) return found
    }
  }
  return found
}

function shownId({ entity }: Pick<CheckFacts, 'entity'>, id: string): string {
  return entity.hasPlainIds === true && plainId.test(id) ? id : ''
}

interface Kept {
  readonly basis: string
  readonly findings: readonly NamedFinding[]
}

/** `topFindings` with a cache, which is valid for one configuration. */
export function topFindingsMemory(): typeof topFindings {
  const kept = new Map<string, Kept>()
  return async (request) => {
    const key = `${request.tenant.id} ${request.check.id}`
    if (!hasAny(request.counts.open)) {
      kept.delete(key)
      return []
    }
    const basis = basisOf(request)
    const known = kept.get(key)
    if (known?.basis === basis) return known.findings
    const findings = await topFindings(request)
    kept.set(key, { basis, findings })
    return findings
  }
}

function basisOf({ lastEventId, counts, waivers, now }: TopFindings): string {
  const valid = waivers.filter((waiver) => isValid(waiver, now)).map(termsOf)
  return JSON.stringify([lastEventId, counts.open, counts.waived, valid])
}
