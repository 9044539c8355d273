import type { Waiver } from '../../config/settings.ts'
import { dayOf } from '../../model/dates.ts'
import type { WaiverMark } from '../../model/finding.ts'
import { guidKey } from '../../model/guid.ts'
import type { Lapse } from '../../store/port.ts'
import { digestOf } from '../digest.ts'
import { differenceOf } from '../findings/material-facts.ts'

export const anyEntity = '*'

/** Changing one of these terms renews the waiver; changing the owner does not. */
export function termsOf({ id, check, entity, tenant, reason, expiresMs }: Waiver): string {
  return digestOf([id, check, entity, tenant, reason, expiresMs]).slice(0, 16)
}

export function isValid(waiver: Waiver, now: number): boolean {
  return now <= waiver.expiresMs
}

export interface WaivableFinding {
  readonly tenant: string
  readonly check: string
  readonly entityId: string
}

/** Groups the waivers once, because otherwise each tenant would search those of all. */
export function waiversByTenant(waivers: readonly Waiver[]): ReadonlyMap<string, readonly Waiver[]> {
  return Map.groupBy(waivers, ({ tenant }) => tenant)
}

export function waiversOf(waivers: readonly Waiver[], of: Omit<WaivableFinding, 'entityId'>): readonly Waiver[] {
  return waivers.filter((waiver) => isOfCheck(waiver, of))
}

export function isAbout(
  waiver: Pick<Waiver, 'check' | 'entity' | 'tenant'>,
  { tenant, check, entityId }: WaivableFinding,
): boolean {
  return isOfCheck(waiver, { tenant, check }) && isOfEntity(waiver, entityId)
}

/** GUIDs are equal whatever their letter case. */
export function isOfEntity({ entity }: Pick<Waiver, 'entity'>, entityId: string): boolean {
  return entity === anyEntity || entity === entityId || guidKey(entity) === entityId
}

function isOfCheck(
  waiver: Pick<Waiver, 'check' | 'tenant'>,
  { tenant, check }: Omit<WaivableFinding, 'entityId'>,
): boolean {
  return waiver.check === check && waiver.tenant === tenant
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
