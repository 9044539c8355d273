import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'

const lookEveryMs = 10 * secondMs
/** More than any slewing of a clock gains between two looks. */
const jumpMs = 2 * secondMs

/**
 * Tells when the wall clock was set: whoever computed a moment on it must do so anew, for a timer armed before a clock
 * was set back by a day fires a day late. Ends with the signal.
 *
 * @param jumped is given by how much the clock was set, in milliseconds; negative is back.
 */
export async function watchWallClock(clock: Clock, jumped: (ms: number) => void, signal: AbortSignal): Promise<void> {
  const offset = () => clock.now() - clock.monotonic()
  let known = offset()
  while (!signal.aborted) {
    await clock.sleep(lookEveryMs, signal).catch(() => undefined)
    const by = offset() - known
    known += by
    if (Math.abs(by) >= jumpMs && !signal.aborted) jumped(by)
  }
}
