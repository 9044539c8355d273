/** Greatest delay of a timer in milliseconds; Node fires longer ones immediately. */
export const maxTimerMs = 2 ** 31 - 1

export interface Clock {
  now(): number
  monotonic(): number
  /** Waits `ms`, at most `maxTimerMs`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type Random = () => number

/** Waits for the end of the work, at most `ms`; false if it still goes on. Rejects as the work does. */
export async function endsWithin(clock: Pick<Clock, 'sleep'>, work: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController()
  const late = clock.sleep(ms, waiting.signal).then(
    () => false,
    () => true,
  )
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    waiting.abort()
  }
}
