import { setImmediate as letOthersIn, setTimeout as rest } from 'node:timers/promises'
import type { Answer } from './answer.ts'

/** How many answers may wait for their beginning; more are refused. */
const mostWaiting = 32

/** Answers that cost much of the event loop, of which one piece is made at a time. */
export interface HeavyLane {
  /** Begins an answer when its turn comes; undefined when too many wait. The pieces of its body take turns, too. */
  answer(make: () => Promise<Answer>): Promise<Answer> | undefined
}

/**
 * After each piece the lane rests as long as the piece took while others wait in it: a crowd takes at most half of the
 * event loop, and probes, scrapes and the engine have the rest.
 */
export function heavyLane(most = mostWaiting): HeavyLane {
  let last: Promise<unknown> = Promise.resolve()
  let [beginning, waiting] = [0, 0]

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    waiting++
    let began = 0
    const mine = last.then(() => {
      waiting--
      began = performance.now()
      return work()
    })
    const pause = () => (waiting > 0 ? rest(performance.now() - began) : letOthersIn())
    last = mine.then(pause, pause)
    return mine
  }

  async function* inTurns(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    const iterator = pieces[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await inTurn(() => iterator.next())
        if (done === true) return
        yield value
      }
    } finally {
      await iterator.return?.()
    }
  }

  return {
    answer(make) {
      if (beginning >= most) return undefined
      beginning++
      return inTurn(() => {
        beginning--
        return make()
      }).then((answer) => {
        const { body } = answer
        return typeof body === 'object' && Symbol.asyncIterator in body ? { ...answer, body: inTurns(body) } : answer
      })
    },
  }
}
