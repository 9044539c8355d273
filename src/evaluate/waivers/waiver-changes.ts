import { guidKey } from '../../model/guid.ts'
import { inParts } from '../../model/in-parts.ts'
import type { Acceptance, WaiverChanges, WrittenFinding } from '../../store/port.ts'
import type { CheckRun } from '../check-run.ts'
import { factsText, isSameFacts, materialFacts } from '../findings/material-facts.ts'
import { anyEntity } from './waivers.ts'

/** Findings whose acceptances are read at once. */
const atOnce = 250

/** Acceptances of findings that a stored waiver covers from now on, and those that end because facts changed. */
export async function waiverChanges(
  { check, request, waivers }: Pick<CheckRun, 'check' | 'request' | 'waivers'>,
  written: readonly WrittenFinding[],
): Promise<WaiverChanges> {
  const accepted: Acceptance[] = []
  const lapsed: WaiverChanges['lapsed'][number][] = []
  if (waivers.length === 0) return { accepted, lapsed }
  for (const part of inParts(written, atOnce)) {
    const stored = await request.store.acceptances(part.map(({ fingerprint }) => fingerprint))
    const known = Map.groupBy(stored, ({ fingerprint }) => fingerprint)
    for (const { fingerprint, kind, entityId, evidence } of part) {
      const facts = factsText(materialFacts(JSON.parse(evidence), check.material))
      const own = known.get(fingerprint) ?? []
      for (const { waiver, facts: before, lapsedAt } of own) {
        if (lapsedAt !== null || before === facts) continue
        if (kind === 'replaced' || !isSameFacts(before, facts)) lapsed.push({ fingerprint, waiver, facts })
      }
      for (const { id, entity, terms, expiresAt } of waivers) {
        const isAbout = entity === anyEntity || entity === entityId || guidKey(entity) === entityId
        if (!isAbout || expiresAt < request.now || own.some(({ waiver }) => waiver === id)) continue
        accepted.push({ fingerprint, waiver: id, terms, facts })
      }
    }
  }
  return { accepted, lapsed }
}
