import type { NamedFinding } from '../../model/finding.ts'
import { isValid, termsOf } from '../waivers/waiver-terms.ts'
import { type TopFindings, topFindings } from './top-findings.ts'

interface Kept {
  readonly basis: string
  readonly findings: readonly NamedFinding[]
}

/** Make a new cache after a reload of the configuration. */
export function topFindingsMemory(): typeof topFindings {
  const kept = new Map<string, Kept>()
  return async (request) => {
    const key = `${request.tenant.id} ${request.check.id}`
    if (Object.values(request.counts.open).every((count) => count === 0)) {
      kept.delete(key)
      return []
    }
    // Computed before the read, so that a concurrent change invalidates the entry.
    const basis = basisOf(request)
    const known = kept.get(key)
    if (known?.basis === basis) return known.findings
    const findings = await topFindings(request)
    kept.set(key, { basis, findings })
    return findings
  }
}

function basisOf({ store, tenant, check, counts, waivers, now }: TopFindings): string {
  const valid = waivers.filter((waiver) => isValid(waiver, now)).map(termsOf)
  return JSON.stringify([store.findingVersion(tenant.id, check.id), counts.open, counts.waived, valid])
}
