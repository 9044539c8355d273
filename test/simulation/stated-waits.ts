import type { WallClock } from './clocks.ts'

/** A wait that the tenant stated, as it reached the daemon; times are the world's, which no setting of a clock moves. */
export interface StatedWait {
  readonly toldAt: number
  readonly until: number
}

/** So long the slow store may take to keep a wait: a process that ends meanwhile takes it along. */
const unstoredMs = 250

/** The silences that the tenant asked for: no request may break one, whichever process sends it. */
export class StatedWaits {
  #waits: readonly StatedWait[] = []

  #end = 0

  /** When the last one ends, also one that may not have been stored; 0 when there was none. */
  get end(): number {
    return this.#end
  }

  state(wait: StatedWait): void {
    this.#end = Math.max(this.#end, wait.until)
    this.#waits = [...this.#waits.filter(({ until }) => until > wait.toldAt), wait]
  }

  /** A process ended; its last stated wait may not have been stored. */
  processEnded(now: number): void {
    this.#waits = this.#waits.filter(({ toldAt }) => now - toldAt > unstoredMs)
  }

  /** The wait that a request breaks, sent now by the process started at `bornAt`. */
  brokenBy(now: number, bornAt: number, wall: WallClock): StatedWait | undefined {
    return this.#waits.find((wait) => wait.toldAt < now && now < wait.until - aheadBefore(bornAt, wait, wall))
  }
}

/**
 * By how much the wall clock was set ahead between a wait and the birth of a later process: to that one only the stored
 * wall time can measure it. Within one process no clock excuses anything.
 */
function aheadBefore(bornAt: number, { toldAt }: StatedWait, wall: WallClock): number {
  return bornAt > toldAt ? wall.setAheadSince(toldAt) - wall.setAheadSince(bornAt + 1) : 0
}
