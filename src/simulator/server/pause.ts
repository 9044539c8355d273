import { setTimeout as delay } from 'node:timers/promises'

/** The greatest delay, in milliseconds, that a timer takes; it would fire a longer one at once. */
export const longestDelayMs = 2 ** 31 - 1

/** Waits `ms` milliseconds; rejects with an AbortError when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(ms, longestDelayMs), undefined, { signal })
}
