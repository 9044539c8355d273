/** Greatest delay of a timer in milliseconds; Node fires longer ones immediately. */
export const maxTimerMs = 2 ** 31 - 1

export interface Clock {
  now(): number
  monotonic(): number
  /** Waits `ms`, at most `maxTimerMs`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type Random = () => number
