import { AsyncLocalStorage } from 'node:async_hooks'
import { isFull } from '../db/postgres/store-error.ts'
import type { Sessions } from './session.ts'

const shown = new AsyncLocalStorage<true>()

/** Reads for a waiting client, such as a scrape, over connections that runs and evaluations do not use. */
export function readToShow<T>(read: () => T): T {
  return shown.run(true, read)
}

export function isToShow(): boolean {
  return shown.getStore() === true
}

/** @param toShow for what `readToShow` reads; `work` for everything else. */
export function twoLanes(work: Sessions, toShow: Sessions): Sessions {
  return {
    async take() {
      if (!isToShow()) return work.take()
      return toShow.take().catch((error: unknown) => {
        // The server accepts no more connections; those of `work` may be open.
        if (isFull(error)) return work.take()
        throw error
      })
    },
    makeRoom: async (signal) => (await work.makeRoom?.(signal)) === true || (await toShow.makeRoom?.(signal)) === true,
    breakAll() {
      work.breakAll?.()
      toShow.breakAll?.()
    },
    distrustAll() {
      work.distrustAll?.()
      toShow.distrustAll?.()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([work[Symbol.asyncDispose](), toShow[Symbol.asyncDispose]()])
    },
  }
}
