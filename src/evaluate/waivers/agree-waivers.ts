import type { Waiver } from '../../config/settings.ts'
import type { Acceptance, FindingStore, NotedWaiver } from '../../store/port.ts'
import type { Check } from '../check.ts'
import type { EvaluatedTenant } from '../data-quality.ts'
import { factsText, materialFacts } from '../findings/material-facts.ts'
import { isAbout, termsOf } from './waivers.ts'

export interface AgreeWaivers {
  readonly store: FindingStore
  readonly tenant: EvaluatedTenant
  readonly checks: readonly Check[]
  readonly waivers: readonly Waiver[]
  readonly now: number
}

/** Stores new and renewed waivers with the facts that they accept. Returns all stored waivers of the tenant. */
export async function agreeWaivers(request: AgreeWaivers): Promise<readonly NotedWaiver[]> {
  const { store, tenant, waivers, now } = request
  const own = waivers.filter((waiver) => waiver.tenant === tenant.settings.name)
  const noted = await store.notedWaivers(tenant.id)
  const known = new Map(noted.map(({ id, terms }) => [id, terms]))
  const changed = own.filter((waiver) => known.get(waiver.id) !== termsOf(waiver))
  for (const waiver of changed) {
    const { id, check, entity, expiresMs: expiresAt } = waiver
    const terms = termsOf(waiver)
    // Also for an expired waiver: if the clock is ahead, the waiver is valid again after its correction.
    const accepted = await acceptancesOf(request, waiver)
    await store.agreeWaiver(tenant.id, { id, check, entity, terms, since: now, expiresAt }, accepted)
  }
  return changed.length === 0 ? noted : store.notedWaivers(tenant.id)
}

async function acceptancesOf({ store, tenant, checks }: AgreeWaivers, waiver: Waiver): Promise<Acceptance[]> {
  const { id, check } = waiver
  const terms = termsOf(waiver)
  const material = checks.find((one) => one.id === check)?.material
  const accepted: Acceptance[] = []
  for await (const batch of store.findings({ tenantIds: [tenant.id], check })) {
    for (const finding of batch) {
      if (!isAbout(waiver, finding)) continue
      const { fingerprint, evidence } = finding
      accepted.push({ fingerprint, waiver: id, terms, facts: factsText(materialFacts(evidence, material)) })
    }
  }
  return accepted
}
