import { setImmediate as turn } from 'node:timers/promises'

/** A process life: a pending wait never ends once the process is dead. */
export interface Scope {
  dead: boolean
  /** Time at which it began. */
  readonly bornAt: number
}

interface Event {
  readonly at: number
  readonly order: number
  readonly scope: Scope | null
  readonly act: () => void
}

/** Time that moves from event to event, in milliseconds since the epoch as the world has it (no clock shows it). */
export class VirtualTime {
  now: number
  readonly #heap: Event[] = []
  /** Removers of the listeners of pending waits. */
  readonly #waits = new Set<() => void>()
  #order = 0

  constructor(start: number) {
    this.now = start
  }

  /** Calls `act` at a time, in the order of times and, among equal ones, of calls; not when its scope is dead by then. */
  at(time: number, act: () => void, scope: Scope | null = null): void {
    this.#push({ at: Math.max(time, this.now), order: this.#order++, scope, act })
  }

  /** A wait within a scope; aborted waits reject with the signal's reason. */
  async sleep(ms: number, scope: Scope, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    let release = () => {}
    await new Promise<void>((resolve, reject) => {
      if (signal !== undefined) {
        const abort = () => reject(signal.reason)
        signal.addEventListener('abort', abort, { once: true })
        release = () => signal.removeEventListener('abort', abort)
        this.#waits.add(release)
      }
      this.at(this.now + Math.max(0, ms), resolve, scope)
    }).finally(() => {
      release()
      this.#waits.delete(release)
    })
  }

  /** Time stops for good: a signal with a remaining listener would keep the whole life in memory. */
  end(): void {
    for (const release of this.#waits) release()
    this.#waits.clear()
  }

  /** Lets everything happen that is due up to `time`, one event after the other, each with all its consequences, or until `stops`. */
  async runUntil(time: number, stops: () => boolean = () => false): Promise<void> {
    await quiet()
    for (let next = this.#heap[0]; next !== undefined && next.at <= time; next = this.#heap[0]) {
      if (stops()) return
      this.#pop()
      if (next.scope?.dead === true) continue
      this.now = next.at
      next.act()
      await quiet()
    }
    this.now = Math.max(this.now, time)
  }

  #push(event: Event): void {
    const heap = this.#heap
    let i = heap.push(event) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      const above = heap[parent]
      if (above === undefined || !isBefore(event, above)) break
      heap[i] = above
      i = parent
    }
    heap[i] = event
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      const [left, right] = [heap[child], heap[child + 1]]
      if (left === undefined) break
      if (right !== undefined && isBefore(right, left)) child++
      const least = heap[child]
      if (least === undefined || !isBefore(least, last)) break
      heap[i] = least
      i = child
    }
    heap[i] = last
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** Until only virtual waits are left: promises are done when a turn begins, and readers of long tables take turns. */
async function quiet(): Promise<void> {
  do await turn()
  while (process.getActiveResourcesInfo().includes('Immediate'))
}
