import type { Waiver } from '../../config/settings.ts'
import { digestOf } from '../digest.ts'

export const anyEntity = '*'

const guid = /^[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}$/i

/** Changing one of these terms renews the waiver; changing the owner does not. */
export function termsOf({ id, check, entity, tenant, reason, expiresMs }: Waiver): string {
  return digestOf([id, check, entity, tenant, reason, expiresMs]).slice(0, 16)
}

export function isValid(waiver: Waiver, now: number): boolean {
  return now <= waiver.expiresMs
}

/** GUIDs in lower case, other ids (file names) as written. */
export function entityKeyOf({ entity }: Waiver): string {
  return guid.test(entity) ? entity.toLowerCase() : entity
}

export interface WaivableFinding {
  readonly tenant: string
  readonly check: string
  readonly entityId: string
}

export function waiversOf(waivers: readonly Waiver[], of: Omit<WaivableFinding, 'entityId'>): readonly Waiver[] {
  return waivers.filter((waiver) => isOfCheck(waiver, of))
}

export function isAbout(waiver: Waiver, { tenant, check, entityId }: WaivableFinding): boolean {
  if (!isOfCheck(waiver, { tenant, check })) return false
  return waiver.entity === anyEntity || waiver.entity === entityId || entityKeyOf(waiver) === entityId
}

function isOfCheck(waiver: Waiver, { tenant, check }: Omit<WaivableFinding, 'entityId'>): boolean {
  return waiver.check === check && waiver.tenant === tenant
}
