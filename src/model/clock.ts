/** Greatest delay of a timer in milliseconds; Node fires longer ones immediately. */
export const maxTimerMs = 2 ** 31 - 1

/** The clock of everything below the composition root. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number
  /** Monotonic time in milliseconds, for differences. */
  monotonic(): number
  /** Waits `ms`, at most `maxTimerMs`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Returns a number in [0, 1). */
export type Random = () => number
