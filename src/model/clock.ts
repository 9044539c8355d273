/** The greatest delay, in milliseconds, that a timer takes without firing at once. */
export const maxTimerMs = 2 ** 31 - 1

/** Time as an argument: everything below the composition root asks this instead of the system. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number
  /** Time in milliseconds that never jumps; only differences mean something. */
  monotonic(): number
  /** Waits `ms` (clamped to what a timer takes); rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Randomness as an argument: a number in [0, 1). */
export type Random = () => number
