/** Does one piece of work at a time; undefined when too much of it waits already. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T> | undefined

/** @param most how much may wait or be under way. */
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
