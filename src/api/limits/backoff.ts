import type { Random } from '../../model/clock.ts'

/** So many retries a page at most. */
export const maxRetries = 4

const baseMs = 1000
const capMs = 8000

/**
 * The wait before retry number `retry` (from 1), in milliseconds: full jitter over 1, 2, 4, 8 s, so that clients that
 * failed together do not come back together.
 */
export function backoffMs(retry: number, random: Random): number {
  return Math.floor(random() * Math.min(capMs, baseMs * 2 ** (retry - 1)))
}
