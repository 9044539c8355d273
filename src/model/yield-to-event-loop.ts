import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Lets other work run each time that `max` is done, in the unit of `amount`. */
export function yieldAfter(max: number): (amount?: number) => Promise<void> {
  let done = 0
  return async (amount = 1) => {
    done += amount
    if (done < max) return
    done = 0
    await yieldToEventLoop()
  }
}
