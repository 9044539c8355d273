import type { Mirror } from '../mirror/port.ts'
import type { ServerClock } from '../model/server-clock.ts'

export interface ClockOfTenant {
  readonly tenantId: number
  readonly clock: ServerClock
}

export interface Retention {
  /** Tenants at work in this process, with their server time once their identity was proven. */
  readonly clocks: readonly ClockOfTenant[]
  readonly retentionMs: number
  /** The local clock, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * Erases what the retention is over for, by the earlier of the local clock and the tenant's server time. For a tenant
 * that is not heard of, or no longer configured, the newest server time of another one counts.
 *
 * @returns false when no server time is known: nothing is erased then, for the local clock alone may be years ahead.
 */
export async function eraseOutdated(mirror: Mirror, { clocks, retentionMs, now }: Retention): Promise<boolean> {
  const times = new Map<number, number>()
  for (const { tenantId, clock } of clocks) {
    const time = clock.now()
    if (time !== null) times.set(tenantId, time)
  }
  if (times.size === 0) return false
  const newest = Math.max(...times.values())
  const before = new Map<number, number>()
  for (const { id } of await mirror.tenants()) before.set(id, Math.min(now, times.get(id) ?? newest) - retentionMs)
  await mirror.purge({ before, now: Math.min(now, newest), latest: Math.max(now, newest) })
  return true
}
