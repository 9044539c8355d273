import type { Waiver } from '../../config/settings.ts'
import { guidKey } from '../../model/guid.ts'
import type { Acceptance, FindingRow, FindingStore } from '../../store/port.ts'
import type { Check } from '../check.ts'
import type { EvaluatedTenant } from '../data-quality.ts'
import { factsText, materialFacts } from '../findings/material-facts.ts'
import { isAbout, termsOf } from './waivers.ts'

export interface NoteWaivers {
  readonly store: FindingStore
  readonly tenant: EvaluatedTenant
  readonly checks: readonly Check[]
  readonly waivers: readonly Waiver[]
  readonly now: number
}

/** Stores each waiver after the facts that it accepts, so that the work is repeated after an interruption. */
export async function noteWaivers(request: NoteWaivers): Promise<void> {
  const { store, tenant, waivers, now } = request
  const own = waivers.filter((waiver) => waiver.tenant === tenant.settings.name)
  if (own.length === 0) return
  const known = new Map((await store.notedWaivers(tenant.id)).map(({ id, terms }) => [id, terms]))
  for (const waiver of own) {
    const { id, check, entity, expiresMs: expiresAt } = waiver
    const terms = termsOf(waiver)
    if (known.get(id) === terms) continue
    await store.dropAcceptances(tenant.id, id)
    // Also for an expired waiver: if the clock is ahead, the waiver is valid again after its correction.
    await acceptStored(request, waiver, terms)
    const noted = { id, check, entity, entityKey: guidKey(entity), terms, since: now, expiresAt }
    await store.noteWaiver(tenant.id, noted)
  }
}

async function acceptStored({ store, tenant, checks, now }: NoteWaivers, waiver: Waiver, terms: string): Promise<void> {
  const { id, check } = waiver
  const material = checks.find((one) => one.id === check)?.material
  for await (const batch of store.findings({ tenantIds: [tenant.id], check })) {
    const covered = batch.filter((finding) => isAbout(waiver, finding))
    if (covered.length === 0) continue
    const accepted = covered.map((finding) => acceptanceOf(finding, material))
    await store.noteAcceptances(tenant.id, { id, check, terms }, accepted, now)
  }
}

function acceptanceOf({ fingerprint, severity, evidence }: FindingRow, material?: readonly string[]): Acceptance {
  return { fingerprint, severity, facts: factsText(materialFacts(evidence, material)), later: false }
}
