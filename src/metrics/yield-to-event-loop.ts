import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Samples that are made without a break: some 10 ms of work. */
export const mostAtOnce = 4000

/** Lets other work in, such as the commit of a page or another answer, whenever so much was done since it last did. */
export function yieldAfter(most: number): (amount: number) => Promise<void> {
  let done = 0
  return async (amount) => {
    done += amount
    if (done < most) return
    done = 0
    await yieldToEventLoop()
  }
}
