import { type Mirror, sharedChain } from '../../src/store/port.ts'

/** Erases what ended before this time, of every tenant, as if the mirror were older. */
export async function eraseAll(mirror: Mirror, before: number): Promise<void> {
  for (const tenantId of [sharedChain, ...(await mirror.tenants()).map(({ id }) => id)]) {
    const erasure = { tenantId, before, earliest: Number.MAX_SAFE_INTEGER, latest: before - 1, at: before }
    // The first time only notes how old the mirror is.
    await mirror.eraseOutdated(erasure)
    await mirror.eraseOutdated(erasure)
  }
}
