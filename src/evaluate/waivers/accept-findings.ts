import type { Waiver } from '../../config/settings.ts'
import { inParts } from '../../model/in-turns.ts'
import type { Acceptance, FindingStore, WaiverChanges, WrittenFinding } from '../../store/port.ts'
import type { Check } from '../check.ts'
import type { CheckRun } from '../check-run.ts'
import type { EvaluatedTenant } from '../data-quality.ts'
import { factsText, isSameFacts, materialFacts } from '../findings/material-facts.ts'
import { isOfEntity, termsOf } from './waivers.ts'

/** Findings whose acceptances are read at once. */
const atOnce = 250

export interface AgreeWaivers {
  readonly store: FindingStore
  readonly tenant: EvaluatedTenant
  readonly checks: readonly Check[]
  readonly waivers: readonly Waiver[]
  readonly now: number
}

/** Stores new and renewed waivers with the facts that they accept, and which ones left. Returns all stored waivers of the tenant. */
export async function agreeWaivers({ store, tenant, checks, waivers, now }: AgreeWaivers) {
  const noted = await store.notedWaivers(tenant.id)
  const known = new Map(noted.map(({ id, terms }) => [id, terms]))
  const own = waivers.filter((waiver) => waiver.tenant === tenant.settings.name)
  const changed = own.filter((waiver) => known.get(waiver.id) !== termsOf(waiver))
  for (const waiver of noted) {
    const isConfigured = own.some(({ id }) => id === waiver.id)
    if (isConfigured !== waiver.isWithdrawn || changed.some(({ id }) => id === waiver.id)) continue
    const kind = isConfigured ? 'waiver.returned' : 'waiver.withdrawn'
    await store.moveWaiver(tenant.id, kind, { ...waiver, since: now })
  }
  for (const waiver of changed) {
    const { id, check, entity, reason, owner, expiresMs: expiresAt } = waiver
    const terms = termsOf(waiver)
    const material = checks.find((one) => one.id === check)?.material
    // Also for an expired waiver: if the clock is ahead, the waiver is valid again after its correction.
    const accepted: Acceptance[] = []
    for await (const batch of store.findings({ tenantIds: [tenant.id], check }))
      for (const { fingerprint, evidence } of batch.filter(({ entityId }) => isOfEntity(waiver, entityId)))
        accepted.push({ fingerprint, waiver: id, terms, facts: factsText(materialFacts(evidence, material)) })
    await store.agreeWaiver(tenant.id, { id, check, entity, terms, reason, owner, since: now, expiresAt }, accepted)
  }
  return changed.length === 0 ? noted : store.notedWaivers(tenant.id)
}

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
        const isChanged = kind === 'replaced' || !isSameFacts(before, facts)
        if (isChanged && lapsedAt === null) lapsed.push({ fingerprint, waiver, facts })
      }
      for (const waiver of waivers) {
        if (!isOfEntity(waiver, entityId) || waiver.expiresAt < request.now) continue
        if (own.some((one) => one.waiver === waiver.id)) continue
        accepted.push({ fingerprint, waiver: waiver.id, terms: waiver.terms, facts })
      }
    }
  }
  return { accepted, lapsed }
}
