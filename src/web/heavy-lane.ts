import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import type { Clock } from '../model/clock.ts'
import type { Answer } from './answer.ts'

/** Serializes answers that need much CPU: one piece is made at a time. */
export interface HeavyLane {
  /**
   * Makes an answer when its turn comes; undefined if too many are in progress. The pieces of its body are queued, too:
   * a caller that stops before the last one must call `return` of the body's iterator. Nothing is made once `isGone()`.
   */
  answer(make: () => Promise<Answer>, isGone: () => boolean): Promise<Answer> | undefined
}

export interface HeavyLaneOptions {
  readonly clock: Clock
  /** Most answers in progress, from the request to the last piece. */
  readonly most: number
  /** Ends one answer whose client does not read; false if there is none. */
  readonly makeRoom: () => boolean
}

const nothing = { done: true, value: undefined } as const

/** While answers are queued, pauses after each piece as long as it took: half of the event loop stays free. */
export function heavyLane({ clock, most, makeRoom }: HeavyLaneOptions): HeavyLane {
  const lane = new Mutex()
  let [underWay, waiting] = [0, 0]

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    waiting++
    const leave = await lane.acquire()
    waiting--
    const began = clock.monotonic()
    try {
      return await work()
    } finally {
      const pause = waiting > 0 ? clock.sleep(clock.monotonic() - began) : yieldToEventLoop()
      void pause.then(leave, leave)
    }
  }

  function inTurns(
    pieces: AsyncIterable<string>,
    isGone: () => boolean,
    end: () => void,
  ): AsyncIterableIterator<string> {
    const iterator = pieces[Symbol.asyncIterator]()
    return {
      async next() {
        const result = await inTurn(async () => (isGone() ? nothing : iterator.next())).catch((error: unknown) => {
          end()
          throw error
        })
        if (result.done === true) end()
        return result
      },
      async return() {
        end()
        await iterator.return?.()
        return nothing
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  return {
    answer(make, isGone) {
      if (underWay >= most && !makeRoom()) return undefined
      underWay++
      let isUnderWay = true
      const end = () => {
        if (isUnderWay) underWay--
        isUnderWay = false
      }
      return inTurn(make).then(
        (answer) => {
          const { body } = answer
          if (typeof body === 'object' && Symbol.asyncIterator in body)
            return { ...answer, body: inTurns(body, isGone, end) }
          end()
          return answer
        },
        (error: unknown) => {
          end()
          throw error
        },
      )
    },
  }
}
