import type { NewAcceptance, NewLapse, WaiverChanges, WrittenFinding } from '../../store/port.ts'
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
  const accepted: NewAcceptance[] = []
  const lapsed: NewLapse[] = []
  if (waivers.length === 0) return { accepted, lapsed }
  for (let at = 0; at < written.length; at += atOnce) {
    const part = written.slice(at, at + atOnce)
    const stored = await request.store.acceptances(part.map(({ fingerprint }) => fingerprint))
    const known = Map.groupBy(stored, ({ fingerprint }) => fingerprint)
    for (const { fingerprint, kind, entityId, severity, evidence } of part) {
      const facts = factsText(materialFacts(JSON.parse(evidence), check.material))
      const own = known.get(fingerprint) ?? []
      for (const { waiver, facts: before, lapsedAt } of own) {
        if (lapsedAt !== null || before === facts) continue
        if (kind === 'replaced' || !isSameFacts(before, facts)) lapsed.push({ fingerprint, waiver, facts })
      }
      for (const { id, entity, entityKey, terms, expiresAt } of waivers) {
        const isAbout = entity === anyEntity || entity === entityId || entityKey === entityId
        if (!isAbout || expiresAt < request.now || own.some(({ waiver }) => waiver === id)) continue
        accepted.push({ fingerprint, waiver: id, terms, facts, severity })
      }
    }
  }
  return { accepted, lapsed }
}
