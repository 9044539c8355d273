import { Mutex } from 'async-mutex'

/** Runs one task at a time; undefined when the queue is full. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T> | undefined

/** @param most tasks that may wait or run. */
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
