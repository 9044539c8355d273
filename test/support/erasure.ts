import { type Mirror, sharedChain } from '../../src/store/port.ts'

/** Erases what ended before this time, of every tenant, as if the mirror were older. */
export async function eraseAll(mirror: Mirror, before: number): Promise<void> {
  for (const tenantId of [sharedChain, ...(await mirror.tenants()).map(({ id }) => id)]) {
    // The first time only notes how old the mirror is.
    for (const latest of [before - 1, Number.MAX_SAFE_INTEGER])
      await mirror.eraseOutdated({ tenantId, before, latest, at: before })
  }
}
