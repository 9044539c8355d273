import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import type { Clock } from '../model/clock.ts'
import type { Answer } from './answer.ts'

/** Answers that cost much of the event loop, of which one piece is made at a time. */
export interface HeavyLane {
  /**
   * Makes an answer when its turn comes; undefined when too many are under way. The pieces of its body take turns, too:
   * whoever does not read them to their end must call `return` of the body's iterator. None is made once `isGone`.
   */
  answer(make: () => Promise<Answer>, isGone: () => boolean): Promise<Answer> | undefined
}

export interface HeavyLaneOptions {
  readonly clock: Clock
  /** How many answers may be under way, from their request to their last piece. */
  readonly most: number
  /** Ends one of them whose reader takes nothing; false when there is none. */
  readonly makeRoom: () => boolean
}

const nothing = { done: true, value: undefined } as const

/**
 * After each piece the lane rests as long as the piece took while others wait in it: a crowd takes at most half of the
 * event loop, and probes, scrapes and the engine have the rest.
 */
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
