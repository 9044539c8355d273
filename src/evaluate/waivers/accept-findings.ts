import type { Waiver } from '../../config/settings.ts'
import type { Acceptance, FindingStore, WaiverChanges, WrittenFinding } from '../../store/port.ts'
import type { Check } from '../check.ts'
import type { CheckRun } from '../check-run.ts'
import type { EvaluatedTenant } from '../data-quality.ts'
import { factsText, isSameFacts, materialFacts } from '../findings/material-facts.ts'
import { isOfEntity, termsOf } from './waivers.ts'

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
  const known = new Map(noted.map((waiver) => [waiver.id, waiver]))
  const left = new Map(known)
  let isChanged = false
  for (const waiver of waivers.filter((one) => one.tenant === tenant.settings.name)) {
    const { id, check, entity, reason, owner, expiresMs: expiresAt } = waiver
    const agreed = { id, check, entity, terms: termsOf(waiver), reason, owner, since: now, expiresAt }
    const before = known.get(id)
    left.delete(id)
    if (before?.terms === agreed.terms) {
      if (before.isWithdrawn) await store.moveWaiver(tenant.id, 'waiver.returned', agreed)
      continue
    }
    isChanged = true
    const material = checks.find((one) => one.id === check)?.material
    // Also for an expired waiver: if the clock is ahead, the waiver is valid again after its correction.
    const accepted: Acceptance[] = []
    for await (const batch of store.findings({ tenantIds: [tenant.id], check }))
      for (const { fingerprint, evidence } of batch.filter(({ entityId }) => isOfEntity(waiver, entityId))) {
        const facts = factsText(materialFacts(evidence, material))
        accepted.push({ fingerprint, waiver: id, terms: agreed.terms, facts })
      }
    await store.agreeWaiver(tenant.id, agreed, accepted)
  }
  for (const { isWithdrawn, ...waiver } of left.values())
    if (!isWithdrawn) await store.moveWaiver(tenant.id, 'waiver.withdrawn', { ...waiver, since: now })
  return isChanged ? store.notedWaivers(tenant.id) : noted
}

/** Acceptances of findings that a stored waiver covers from now on, and those that end because facts changed. */
export async function waiverChanges(
  { check, request, waivers }: Pick<CheckRun, 'check' | 'request' | 'waivers'>,
  written: readonly WrittenFinding[],
): Promise<WaiverChanges> {
  const accepted: Acceptance[] = []
  const lapsed: WaiverChanges['lapsed'][number][] = []
  if (waivers.length === 0) return { accepted, lapsed }
  const stored = await request.store.acceptances(written.map(({ fingerprint }) => fingerprint))
  const known = Map.groupBy(stored, ({ fingerprint }) => fingerprint)
  for (const { fingerprint, kind, entityId, evidence } of written) {
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
  return { accepted, lapsed }
}
