import type { ServerClock } from '../model/server-clock.ts'
import type { Mirror } from '../store/port.ts'

export interface ClockOfTenant {
  readonly tenantId: number
  readonly clock: ServerClock
}

export interface Retention {
  readonly clocks: readonly ClockOfTenant[]
  readonly retentionMs: number
  readonly now: number
}

/**
 * Erases data after its retention, by the earlier of local and server time; tenants without a server time use the
 * newest of another tenant. False, without effect, when none is known: the local clock may be years ahead.
 */
export async function eraseOutdated(mirror: Mirror | null, { clocks, retentionMs, now }: Retention): Promise<boolean> {
  // Another replica erases.
  if (mirror === null) return false
  const times = new Map<number, number>()
  for (const { tenantId, clock } of clocks) {
    const time = clock.now()
    if (time !== null) times.set(tenantId, time)
  }
  if (times.size === 0) return false
  const newest = Math.max(...times.values())
  const before = new Map<number, number>()
  for (const { id } of await mirror.tenants()) before.set(id, Math.min(now, times.get(id) ?? newest) - retentionMs)
  await mirror.eraseOutdated({ before, now: Math.min(now, newest), latest: Math.max(now, newest), at: now })
  return true
}
