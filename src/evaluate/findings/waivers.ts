import type { Waiver } from '../../config/settings.ts'
import type { FindingIdentity, WaiverMark } from '../../model/finding.ts'
import { guidKey } from '../../model/guid.ts'
import { dayOf } from '../../model/time.ts'
import type { Acceptance, Lapse, WaiverChanges, WrittenFinding } from '../../store/port.ts'
import type { CheckRun, EvaluateTenant } from '../check-run.ts'
import { digestOf } from '../digest.ts'
import { differenceOf, factsText, isSameFacts, materialFacts } from './material-facts.ts'

export const anyEntity = '*'

/** Changing one of these terms renews the waiver; changing the owner does not. */
export function termsOf({ id, check, entity, tenant, reason, expiresMs }: Waiver): string {
  return digestOf([id, check, entity, tenant, reason, expiresMs]).slice(0, 16)
}

export function isValid(waiver: Waiver, now: number): boolean {
  return now <= waiver.expiresMs
}

export type WaivableFinding = Omit<FindingIdentity, 'entityType'>

export function waiversOf(waivers: readonly Waiver[], of: Omit<WaivableFinding, 'entityId'>): readonly Waiver[] {
  return waivers.filter((waiver) => isOfCheck(waiver, of))
}

export function isAbout(waiver: Pick<Waiver, 'check' | 'entity' | 'tenant'>, finding: WaivableFinding): boolean {
  return isOfCheck(waiver, finding) && isOfEntity(waiver, finding.entityId)
}

/** GUIDs are equal whatever their letter case. */
function isOfEntity({ entity }: Pick<Waiver, 'entity'>, entityId: string): boolean {
  return entity === anyEntity || entity === entityId || guidKey(entity) === entityId
}

function isOfCheck(waiver: Pick<Waiver, 'check' | 'tenant'>, of: Omit<WaivableFinding, 'entityId'>): boolean {
  return waiver.check === of.check && waiver.tenant === of.tenant
}

/** What waivers say of a finding. */
export interface WaiverMatch {
  /** About the finding, the last to expire first. */
  readonly about: readonly Waiver[]
  /** Of waivers with their present terms. */
  readonly lapses: readonly Lapse[]
  readonly coveredBy: readonly Waiver[]
}

/** Matches findings with these waivers; `now` in milliseconds since the epoch. */
export function waiverMatcher(waivers: readonly Waiver[]) {
  const terms = new Map(waivers.map((waiver) => [waiver.id, termsOf(waiver)]))
  return (finding: WaivableFinding & { readonly lapses: readonly Lapse[] }, now: number): WaiverMatch => {
    const about = waivers.filter((waiver) => isAbout(waiver, finding)).toSorted((a, b) => b.expiresMs - a.expiresMs)
    const lapses = finding.lapses.filter((lapse) => terms.get(lapse.waiver) === lapse.terms)
    const hasLapsed = ({ id }: Waiver) => lapses.some(({ waiver }) => waiver === id)
    return { about, lapses, coveredBy: about.filter((waiver) => isValid(waiver, now) && !hasLapsed(waiver)) }
  }
}

/** The covering waiver that expires last, else one that lapsed or expired; null without any. */
export function markOf({ about, lapses, coveredBy }: WaiverMatch, now: number): WaiverMark | null {
  const [[covering], [first]] = [coveredBy, about]
  if (covering !== undefined) return toMark(covering, 'active', null)
  if (first === undefined) return null
  const lapse = isValid(first, now) ? lapses.find(({ waiver }) => waiver === first.id) : undefined
  if (lapse === undefined)
    return toMark(first, 'expired', `waiver expired: it was valid until ${dayOf(first.expiresMs)}`)
  const difference = differenceOf(lapse.accepted ?? '{}', lapse.changed ?? '{}')
  return toMark(first, 'lapsed', `waiver lapsed: the accepted facts changed (${difference})`)
}

function toMark({ id, owner, reason, expiresMs }: Waiver, state: WaiverMark['state'], explanation: string | null) {
  return { id, owner, reason, expires: dayOf(expiresMs), state, explanation } satisfies WaiverMark
}

/** Stores new and renewed waivers with the facts that they accept, and which ones left. Returns all stored waivers of the tenant. */
export async function agreeWaivers({ store, tenant, checks, waivers = [], now }: EvaluateTenant) {
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
