import type { Clock } from '../../../src/model/clock.ts'

export interface FakeClock extends Clock {
  /** Every wait in milliseconds, in order. */
  readonly sleeps: number[]
  advance(ms: number): void
  /** Sets the wall clock, which the monotonic one does not notice. */
  jump(ms: number): void
}

/** A clock that advances only by waits, which return at once. */
export function fakeClock(start = Date.UTC(2026, 0, 15)): FakeClock {
  let elapsed = 0
  let jumped = 0
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => start + elapsed + jumped,
    monotonic: () => elapsed,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      elapsed += ms
    },
    advance(ms) {
      elapsed += ms
    },
    jump(ms) {
      jumped += ms
    },
  }
}
