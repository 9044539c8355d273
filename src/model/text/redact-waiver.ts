const hidden = '[hidden]'

/** Numbers, GUIDs and `*`; other entities may be file names. */
const plainEntity = /^(\*|\d+|[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12})$/i

/** A waiver without what people wrote into it, for outputs that may not show details (docs/operations.md#security). */
export function withoutWaiverDetails<
  T extends { readonly owner: string; readonly reason: string; readonly entity: string },
>(waiver: T): T {
  const entity = plainEntity.test(waiver.entity) ? waiver.entity : hidden
  return { ...waiver, owner: hidden, reason: hidden, entity }
}
