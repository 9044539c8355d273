import type { Socket } from 'node:net'

/** Time for a client to read 64 KiB, in milliseconds. */
const sliceDeadlineMs = 10_000
/** Most bytes of unsent bodies in total; beyond it, the client with the longest wait is disconnected. */
const maxKept = 32 << 20

export interface SlowReaders {
  /** Sockets that wait for their client to read, the longest wait first. */
  readonly awaited: ReadonlySet<Socket>
  /** Destroys the socket with the longest wait; false if none waits. */
  cutLongest(): boolean
  /** Destroys the socket after the deadline. `body` is the memory in use; one that clients share counts once. */
  waitFor(socket: Socket, body: object, bytes: number, taken: Promise<unknown>): Promise<void>
}

export function slowReaders(limits = { sliceDeadlineMs, maxKept }): SlowReaders {
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
      if (sum > limits.maxKept && longest !== socket) longest?.destroy()
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
