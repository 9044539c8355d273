import type { Waiver } from '../../config/settings.ts'
import type { FindingIdentity, WaiverMark } from '../../model/finding.ts'
import { guidKey } from '../../model/guid.ts'
import { dayOf } from '../../model/time.ts'
import {
  hasEnded,
  type Lapse,
  type StoredFinding,
  type StoredWaiver,
  type WaiverLapse,
  type WrittenFinding,
} from '../../store/port.ts'
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

/** Stores new and renewed waivers, and which ones left. Returns all stored waivers of the tenant. */
export async function agreeWaivers({ store, tenant, waivers = [], now }: EvaluateTenant) {
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
      isChanged ||= before.isWithdrawn
      continue
    }
    isChanged = true
    await store.agreeWaiver(tenant.id, agreed)
  }
  for (const { isWithdrawn, agreedBy: _, coversUntil: __, ...waiver } of left.values())
    if (!isWithdrawn) await store.moveWaiver(tenant.id, 'waiver.withdrawn', { ...waiver, since: now })
  return isChanged ? store.notedWaivers(tenant.id) : noted
}

/**
 * Lapses of waivers that covered these findings and whose accepted facts change: those of `stored`, because any change of
 * them lapses at once. For an opened finding, those agreed before its id may have been given to another entity.
 */
export async function lapsesOf(
  { check, request, waivers }: Pick<CheckRun, 'check' | 'request' | 'waivers'>,
  written: readonly WrittenFinding[],
  stored: ReadonlyMap<string, StoredFinding>,
): Promise<readonly WaiverLapse[]> {
  if (waivers.length === 0) return []
  const { store, tenant, now } = request
  const opened = written.flatMap(({ fingerprint }) => (stored.has(fingerprint) ? [] : [fingerprint]))
  const endedBy = await store.endedEntities(tenant.id, opened)
  const factsOf = (evidence: string) => factsText(materialFacts(JSON.parse(evidence), check.material))
  const lapses = written.flatMap(({ fingerprint, kind, entityId: entity, evidence, firstSeenAt }) => {
    const before = stored.get(fingerprint)
    const known = before ?? { firstSeenAt, resolvedBy: endedBy.get(fingerprint) ?? 0 }
    // To another entity with the same id, no waiver was ever agreed.
    const was = kind === 'replaced' ? { ...known, resolvedBy: null } : known
    const covering = waivers.filter((waiver) => isOfEntity(waiver, entity) && hasCovered(waiver, was, now))
    if (covering.length === 0) return []
    const [accepted, changed] = before === undefined ? unknownFacts : [factsOf(before.evidence), factsOf(evidence)]
    if (kind !== 'replaced' && isSameFacts(accepted, changed)) return []
    return covering.map((waiver): WaiverLapse => {
      const { id, terms } = waiver
      const ended = hasEnded(waiver, now)
      return { waiver: id, check: check.id, terms, entity, accepted, changed, ended, fingerprint }
    })
  })
  return lapses.length === 0 ? [] : store.newLapses(tenant.id, lapses)
}

const unknownFacts = ['{}', JSON.stringify({ entity: 'may be another one' })] as const

/** False if the finding was first seen after the waiver expired, or was resolved before its terms came into force. */
function hasCovered(
  { agreedBy, coversUntil, expiresAt }: StoredWaiver,
  { firstSeenAt, resolvedBy }: Pick<StoredFinding, 'firstSeenAt' | 'resolvedBy'>,
  now: number,
): boolean {
  // A finding of a clock that was ahead may be first seen later than now.
  return (firstSeenAt <= coversUntil || now <= expiresAt) && (resolvedBy === null || resolvedBy > agreedBy)
}
