import type { Mirror } from '../store/port.ts'

export interface Retention {
  /** Server time by id of the tenant; null = not confirmed. */
  readonly serverTimes: ReadonlyMap<number, number | null>
  readonly retentionMs: number
  readonly now: number
}

/**
 * Erases data after its retention, by the earlier of local and server time; tenants without a server time use the
 * newest of another tenant. False, without effect, when none is known: the local clock may be years ahead.
 */
export async function eraseOutdated(
  mirror: Pick<Mirror, 'eraseOutdated' | 'tenants'>,
  { serverTimes, retentionMs, now }: Retention,
): Promise<boolean> {
  const known = [...serverTimes.values()].filter((time) => time !== null)
  if (known.length === 0) return false
  const newest = Math.max(...known)
  const before = new Map<number, number>()
  for (const { id } of await mirror.tenants())
    before.set(id, Math.min(now, serverTimes.get(id) ?? newest) - retentionMs)
  await mirror.eraseOutdated({ before, now: Math.min(now, newest), latest: Math.max(now, newest), at: now })
  return true
}
