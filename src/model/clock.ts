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

/**
 * Many sleeps that share one listener on a signal. An AbortSignal compares each new listener with all it has, so 20,000
 * sleeps with listeners of their own take seconds.
 */
export function sleepsUntil(clock: Pick<Clock, 'sleep'>, signal: AbortSignal): (ms: number) => Promise<void> {
  const asleep = new Set<AbortController>()
  signal.addEventListener('abort', () => {
    for (const sleeper of asleep) sleeper.abort(signal.reason)
  })
  return async (ms) => {
    signal.throwIfAborted()
    const sleeper = new AbortController()
    asleep.add(sleeper)
    try {
      await clock.sleep(ms, sleeper.signal)
    } finally {
      asleep.delete(sleeper)
    }
  }
}
