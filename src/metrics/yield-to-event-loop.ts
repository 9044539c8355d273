import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Samples per turn of the event loop: about 10 ms of work. */
export const samplesPerTurn = 4000

export function yieldAfter(max: number): (amount: number) => Promise<void> {
  let done = 0
  return async (amount) => {
    done += amount
    if (done < max) return
    done = 0
    await yieldToEventLoop()
  }
}
