import type { Clock } from '../../src/model/clock.ts'

export interface FakeClock extends Clock {
  /** Every wait in milliseconds, in the order they began. */
  readonly sleeps: number[]
  /** Moves both times on. */
  advance(ms: number): void
  /** Moves the wall time alone, as an operator or NTP does. */
  jump(ms: number): void
  /** From now on waits last until `release`; without it they pass at once. */
  hold(): void
  /** Ends the waits that are held, and lets later ones pass at once. */
  release(): void
}

export const startTime = Date.parse('2026-03-01T12:00:00Z')

/** A clock that advances only by waits, which return at once and add their length. */
export function fakeClock(start = startTime): FakeClock {
  let elapsed = 0
  let jumped = 0
  let held: Promise<void> | null = null
  let release = () => {}
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => start + elapsed + jumped,
    monotonic: () => elapsed,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      if (held !== null) await orAborted(held, signal)
      elapsed += ms
    },
    advance(ms) {
      elapsed += ms
    },
    jump(ms) {
      jumped += ms
    },
    hold() {
      held = new Promise((resolve) => {
        release = resolve
      })
    },
    release() {
      held = null
      release()
    },
  }
}

async function orAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return wait
  await new Promise<void>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    void wait.then(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })
}
