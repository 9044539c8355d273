import type { Socket } from 'node:net'

/** Least speed of a reader: each 64 KiB within this time, in milliseconds. */
const sliceDeadlineMs = 10_000
/** What is kept in memory for all readers together, in bytes, before the one awaited longest is cut off. */
const mostKept = 32 << 20

/** Bodies of which a part is sent and the rest waits for its reader. */
export interface SlowReaders {
  /** Sockets whose reader is awaited now, the one awaited longest first. */
  readonly awaited: ReadonlySet<Socket>
  /** Cuts off the one awaited longest; false when none is. */
  cutLongest(): boolean
  /**
   * Waits until `taken` resolves; destroys the socket when that takes longer than the deadline.
   *
   * @param body what is kept in memory meanwhile; one that several readers share counts once.
   */
  waitFor(socket: Socket, body: object, bytes: number, taken: Promise<unknown>): Promise<void>
}

export function slowReaders(limits = { sliceDeadlineMs, mostKept }): SlowReaders {
  const awaited = new Set<Socket>()
  const kept = new Map<object, { readonly bytes: number; holders: number }>()
  let sum = 0

  function keep(body: object, bytes: number): void {
    const known = kept.get(body)
    if (known !== undefined) known.holders++
    else {
      kept.set(body, { bytes, holders: 1 })
      sum += bytes
    }
  }

  function drop(body: object): void {
    const known = kept.get(body)
    if (known === undefined || --known.holders > 0) return
    kept.delete(body)
    sum -= known.bytes
  }

  return {
    awaited,
    cutLongest() {
      const [longest] = awaited
      if (longest === undefined) return false
      awaited.delete(longest)
      longest.destroy()
      return true
    },
    async waitFor(socket, body, bytes, taken) {
      awaited.add(socket)
      keep(body, bytes)
      const [longest] = awaited
      if (sum > limits.mostKept && longest !== socket) longest?.destroy()
      const deadline = setTimeout(() => socket.destroy(), limits.sliceDeadlineMs).unref()
      try {
        await taken
      } finally {
        clearTimeout(deadline)
        awaited.delete(socket)
        drop(body)
      }
    },
  }
}
