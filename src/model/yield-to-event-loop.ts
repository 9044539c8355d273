import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Lets other work run after each `max` units of work; `amount` is the work done since the last call. */
export function yieldAfter(max: number): (amount?: number) => Promise<void> {
  let done = 0
  return async (amount = 1) => {
    done += amount
    if (done < max) return
    done = 0
    await yieldToEventLoop()
  }
}
