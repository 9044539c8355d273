import { setTimeout as delay } from 'node:timers/promises'

/** Greatest delay of a timer in milliseconds; Node fires longer ones immediately. */
export const longestDelayMs = 2 ** 31 - 1

/** Waits `ms` milliseconds; rejects with an AbortError when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(ms, longestDelayMs), undefined, { signal })
}
