import { Mutex } from 'async-mutex'

/** Does one piece of work at a time; undefined when too much of it waits already. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T> | undefined

/** @param most how much may wait or be under way. */
export function boundedQueue(most: number): Queue {
  const queue = new Mutex()
  let waiting = 0
  return (work) => {
    if (waiting >= most) return undefined
    waiting++
    return queue.runExclusive(work).finally(() => {
      waiting--
    })
  }
}
