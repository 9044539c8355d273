import { setImmediate as turn } from 'node:timers/promises'

/** A process life: a pending wait never ends once the process is dead. */
export interface Scope {
  dead: boolean
  /** Time at which it began. */
  readonly bornAt: number
}

interface Event {
  readonly at: number
  readonly scope: Scope | null
  readonly act: () => void
}

/** Time that moves from event to event, in milliseconds since the epoch as the world has it (no clock shows it). */
export class VirtualTime {
  now: number
  /** In the order of their times and, among equal ones, of calls. */
  readonly #events: Event[] = []
  /** Removers of the listeners of pending waits. */
  readonly #waits = new Set<() => void>()

  constructor(start: number) {
    this.now = start
  }

  /** Calls `act` at a time; not when its scope is dead by then. */
  at(time: number, act: () => void, scope: Scope | null = null): void {
    const at = Math.max(time, this.now)
    const before = this.#events.findLastIndex((event) => event.at <= at)
    this.#events.splice(before + 1, 0, { at, scope, act })
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
    for (let [next] = this.#events; next !== undefined && next.at <= time; [next] = this.#events) {
      if (stops()) return
      this.#events.shift()
      if (next.scope?.dead === true) continue
      this.now = next.at
      next.act()
      await quiet()
    }
    this.now = Math.max(this.now, time)
  }
}

/** Until only virtual waits are left: promises are done when a turn begins, and readers of long tables take turns. */
async function quiet(): Promise<void> {
  do await turn()
  while (process.getActiveResourcesInfo().includes('Immediate'))
}
