/** Runs one task at a time; undefined when the queue is full. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T> | undefined

/** @param most tasks that may wait or run. */
export function boundedQueue(most: number): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (work) => {
    if (waiting >= most) return undefined
    waiting++
    const mine = last.then(work).finally(() => {
      waiting--
    })
    last = mine.catch(() => {})
    return mine
  }
}
