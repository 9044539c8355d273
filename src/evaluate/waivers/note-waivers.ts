import type { Waiver } from '../../config/settings.ts'
import type { Acceptance, FindingRow, FindingStore } from '../../mirror/port.ts'
import { type Check, inputsOf } from '../check.ts'
import { type EvaluatedTenant, inputQualities, type TenantDataQuality } from '../data-quality.ts'
import type { CheckOutcome } from '../evaluation.ts'
import { factsText, materialFacts } from '../findings/material-facts.ts'
import { entityKeyOf, isAbout, termsOf } from './waivers.ts'

export interface NoteWaivers {
  readonly store: FindingStore
  readonly tenant: EvaluatedTenant
  readonly quality: TenantDataQuality
  readonly checks: readonly Check[]
  readonly waivers: readonly Waiver[]
  readonly now: number
}

/**
 * Stores each waiver last, after the facts it accepts, so that an interrupted process repeats the work. Returns the
 * renewals that wait for an evaluation of fresh data.
 */
export async function noteWaivers(request: NoteWaivers): Promise<readonly Waiver[]> {
  const { store, tenant, waivers } = request
  const own = waivers.filter((waiver) => waiver.tenant === tenant.settings.name)
  if (own.length === 0) return []
  const known = new Map((await store.notedWaivers(tenant.id)).map(({ id, terms }) => [id, terms]))
  const waiting: Waiver[] = []
  for (const waiver of own) {
    const terms = termsOf(waiver)
    const before = known.get(waiver.id)
    if (before === terms) continue
    // The stored facts may be older than those that the operator accepts by a renewal, as in a restored database.
    const waits = before !== undefined && (before.endsWith(pending) || isUnreadable(request, waiver))
    if (waits) waiting.push(waiver)
    else await accept(request, waiver)
    if (!waits || before === terms + pending) continue
    await store.dropAcceptances(tenant.id, waiver.id)
    await note(request, waiver, terms + pending)
  }
  return waiting
}

/** Accepts the facts of this evaluation by the renewals that waited for fresh data of their checks. */
export async function acceptRenewals(
  request: NoteWaivers,
  waiting: readonly Waiver[],
  outcomes: readonly Pick<CheckOutcome, 'check' | 'reason'>[],
): Promise<void> {
  const evaluated = new Set(outcomes.filter(({ reason }) => !isFailure(reason)).map(({ check }) => check))
  for (const waiver of waiting) {
    if (evaluated.has(waiver.check) && !isUnreadable(request, waiver)) await accept(request, waiver)
  }
}

const isFailure = (reason: string | null) => reason === 'check_failed' || reason === 'internal'

async function accept(request: NoteWaivers, waiver: Waiver): Promise<void> {
  const terms = termsOf(waiver)
  await request.store.dropAcceptances(request.tenant.id, waiver.id)
  // An expired waiver too: the clock may be ahead, and the waiver is valid again after its correction.
  await acceptStored(request, waiver, terms)
  await note(request, waiver, terms)
}

async function note({ store, tenant, now }: NoteWaivers, waiver: Waiver, terms: string): Promise<void> {
  const { id, check, entity, expiresMs: expiresAt } = waiver
  await store.noteWaiver(tenant.id, {
    id,
    check,
    entity,
    entityKey: entityKeyOf(waiver),
    terms,
    since: now,
    expiresAt,
  })
}

/** Marks the terms of a renewal that waits. */
const pending = ' pending'

/** True while the check is unknown whatever the records are, as by its age. */
function isUnreadable({ checks, quality }: NoteWaivers, waiver: Waiver): boolean {
  const check = checks.find(({ id }) => id === waiver.check)
  const inputs = check === undefined ? [] : inputQualities(quality, inputsOf(check))
  return inputs.some(({ blocked, everComplete, off }) => !off && (blocked !== null || !everComplete))
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
