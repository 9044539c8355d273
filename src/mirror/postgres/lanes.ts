import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session, Sessions } from './session.ts'
import { isFull } from './store-error.ts'

const shown = new AsyncLocalStorage<true>()

/** Reads what somebody waits for, such as a scrape: over connections that no run and no evaluation takes. */
export function readToShow<T>(read: () => T): T {
  return shown.run(true, read)
}

/** @param toShow for what `readToShow` reads; `work` for everything else. */
export function twoLanes(work: Sessions, toShow: Sessions): Sessions {
  return {
    take: () => (shown.getStore() === true ? toShow.take().catch((error) => instead(error, work)) : work.take()),
    breakAll() {
      work.breakAll?.()
      toShow.breakAll?.()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([work[Symbol.asyncDispose](), toShow[Symbol.asyncDispose]()])
    },
  }
}

/** While the server takes no more connections, the others do. */
function instead(error: unknown, { take }: Sessions): Promise<Session> {
  if (!isFull(error)) throw error
  return take()
}
