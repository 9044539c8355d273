import { type Clock, maxTimerMs } from '../../src/model/clock.ts'
import type { Scope, VirtualTime } from './virtual-time.ts'

interface Segment {
  /** World time from which on the offset holds. */
  readonly from: number
  readonly offset: number
}

/** The wall clock of the machine, which an operator or NTP may set, against the time of the world. */
export class WallClock {
  readonly #time: VirtualTime
  readonly #segments: Segment[]

  constructor(time: VirtualTime) {
    this.#time = time
    this.#segments = [{ from: time.now, offset: 0 }]
  }

  get offset(): number {
    return this.#segments.at(-1)?.offset ?? 0
  }

  /** The least offset so far. */
  get leastOffset(): number {
    return Math.min(...this.#segments.map(({ offset }) => offset))
  }

  get now(): number {
    return this.#time.now + this.offset
  }

  /** World time of the last jump; the start when there was none. */
  get jumpedAt(): number {
    return this.#segments.at(-1)?.from ?? 0
  }

  /** No clock of a machine can be set to before 1970. */
  jump(ms: number): void {
    this.#segments.push({ from: this.#time.now, offset: this.offset + Math.max(ms, -this.now) })
  }

  /** The earliest world time at which the clock may have shown `wall`. */
  worldTimeOf(wall: number): number {
    for (const [i, { from, offset }] of this.#segments.entries()) {
      const until = this.#segments[i + 1]?.from ?? Number.POSITIVE_INFINITY
      if (wall - offset < until) return Math.max(from, wall - offset)
    }
    return this.#time.now
  }

  /** The latest world time, up to now, at which the clock may have shown `wall`. */
  lastWorldTimeOf(wall: number): number {
    for (let i = this.#segments.length - 1; i >= 0; i--) {
      const { from, offset } = this.#segments[i] ?? { from: 0, offset: 0 }
      if (wall - offset >= from) return Math.min(this.#time.now, wall - offset)
    }
    return this.#time.now
  }

  /** How long ago a world time seems at least to what reads this clock: what it was set back looks younger. */
  leastAge(since: number): number {
    return this.#time.now - since - this.setBackSince(since)
  }

  /** By how much the clock was set back in all since a world time. */
  setBackSince(since: number): number {
    let back = 0
    for (const [i, { from, offset }] of this.#segments.entries()) {
      const before = this.#segments[i - 1]?.offset ?? offset
      if (from >= since && offset < before) back += before - offset
    }
    return back
  }

  /** By how much the clock was set ahead in all since a world time. */
  setAheadSince(since: number): number {
    let ahead = 0
    for (const [i, { from, offset }] of this.#segments.entries()) {
      const before = this.#segments[i - 1]?.offset ?? offset
      if (from >= since && offset > before) ahead += offset - before
    }
    return ahead
  }

  /** The clock as one process life sees it. */
  for(scope: Scope): Clock {
    return {
      now: () => this.now,
      // Counted from the start of the process, so that one kept for the next process would mean nothing there.
      monotonic: () => this.#time.now - scope.bornAt,
      sleep: (ms, signal) =>
        this.#time.sleep(Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxTimerMs) : 0, scope, signal),
    }
  }
}
