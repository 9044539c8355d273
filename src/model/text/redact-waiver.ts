const hidden = '[hidden]'

const plainEntity = /^(\*|\d+|[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12})$/i

export function withoutWaiverDetails<
  T extends { readonly owner: string; readonly reason: string; readonly entity: string },
>(waiver: T): T {
  const entity = plainEntity.test(waiver.entity) ? waiver.entity : hidden
  return { ...waiver, owner: hidden, reason: hidden, entity }
}
