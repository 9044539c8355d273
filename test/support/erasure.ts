import type { Mirror } from '../../src/store/port.ts'

/** Erases what ended before this time, of every tenant, as if the mirror were older. */
export async function eraseAll(mirror: Mirror, before: number): Promise<void> {
  const ids = (await mirror.tenants()).map(({ id }) => id)
  await mirror.eraseOutdated({
    before: new Map(ids.map((id) => [id, before])),
    now: Number.MAX_SAFE_INTEGER,
    latest: before - 1,
    at: before,
  })
}
