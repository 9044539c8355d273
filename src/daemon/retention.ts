import type { Mirror } from '../store/port.ts'

export interface Retention {
  /** Confirmed server times; null = a tenant has confirmed none. */
  readonly serverTimes: readonly (number | null)[]
  readonly retentionMs: number
  readonly now: number
}

/**
 * Erases data after its retention, by the earliest of all clocks. False, without effect, when no server time is known:
 * the local clock may be years ahead.
 */
export async function eraseOutdated(
  mirror: Pick<Mirror, 'eraseOutdated'>,
  { serverTimes, retentionMs, now }: Retention,
): Promise<boolean> {
  const known = serverTimes.filter((time) => time !== null)
  if (known.length === 0) return false
  const [earliest, latest] = [Math.min(now, ...known), Math.max(now, ...known)]
  await mirror.eraseOutdated({ before: earliest - retentionMs, earliest, latest, at: now })
  return true
}
