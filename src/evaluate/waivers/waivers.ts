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
  if (!isOfCheck(waiver, { tenant, check })) return false
  return isOfEntity(waiver, entityId)
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

/** By id. */
export function termsById(waivers: readonly Waiver[]): ReadonlyMap<string, string> {
  return new Map(waivers.map((waiver) => [waiver.id, termsOf(waiver)]))
}

/** The lapses of the waivers with these terms. */
export function lapsesUnder(terms: ReadonlyMap<string, string>, lapses: readonly Lapse[]): readonly Lapse[] {
  return lapses.filter((lapse) => terms.get(lapse.waiver) === lapse.terms)
}

export function isCovering(
  waiver: Waiver,
  finding: WaivableFinding,
  lapses: readonly Pick<Lapse, 'waiver'>[],
  now: number,
): boolean {
  return isAbout(waiver, finding) && isValid(waiver, now) && !lapses.some((lapse) => lapse.waiver === waiver.id)
}

/** The covering waiver that expires last, else one that lapsed or expired; null without any. */
export function markOf(
  finding: WaivableFinding,
  waivers: readonly Waiver[],
  lapses: readonly Lapse[],
  now: number,
): WaiverMark | null {
  const about = waivers.filter((waiver) => isAbout(waiver, finding)).toSorted((a, b) => b.expiresMs - a.expiresMs)
  const covering = about.find((waiver) => isCovering(waiver, finding, lapses, now))
  if (covering !== undefined) return toMark(covering, 'active', null)
  const [first] = about
  if (first === undefined) return null
  const lapsed = about.find((waiver) => isValid(waiver, now)) ?? first
  const lapse = lapses.find(({ waiver }) => waiver === lapsed.id)
  if (isValid(lapsed, now) && lapse !== undefined) {
    const difference = differenceOf(lapse.accepted ?? '{}', lapse.changed ?? '{}')
    return toMark(lapsed, 'lapsed', `${lapseSentence} (${difference})`)
  }
  return toMark(first, 'expired', `waiver expired: it was valid until ${dayOf(first.expiresMs)}`)
}

const lapseSentence = 'waiver lapsed: the accepted facts changed'

function toMark({ id, owner, reason, expiresMs }: Waiver, state: WaiverMark['state'], explanation: string | null) {
  return { id, owner, reason, expires: dayOf(expiresMs), state, explanation } satisfies WaiverMark
}
