import type { Mirror } from '../../src/store/port.ts'

/** Erases what ended before this time, of every tenant, as if the mirror were older. */
export async function eraseAll(mirror: Mirror, before: number): Promise<void> {
  await mirror.eraseOutdated({ before, earliest: Number.MAX_SAFE_INTEGER, latest: before - 1, at: before })
}
