import { type Clock, maxTimerMs } from '../../../src/model/clock.ts'
import type { Scope, VirtualTime } from '../virtual-time.ts'

/** How the network between a host and the database is: statements wait, or connections are reset and refused. */
export type Link = 'up' | 'hangs' | 'refuses'

/** A statement is about to be sent, or is on its way to the server. */
export type When = 'before' | 'sent'

/** The machine of one replica: whatever reaches the process, reaches it through `deliver`. */
export class Host implements Scope {
  readonly name: string
  readonly bornAt: number
  dead = false
  link: Link = 'up'
  /** World time since when it runs and reaches the database; null while it does not. */
  healthySince: number | null = null
  readonly #time: VirtualTime
  readonly #waiting: (() => void)[] = []
  #frozen = false
  #fuse: { statements: number; readonly when: When; readonly act: () => void } | null = null

  constructor(name: string, time: VirtualTime) {
    this.name = name
    this.bornAt = time.now
    this.#time = time
  }

  /** True while it executes: neither dead nor frozen. */
  get runs(): boolean {
    return !this.dead && !this.#frozen
  }

  get frozen(): boolean {
    return this.#frozen
  }

  freeze(): void {
    this.#frozen = true
  }

  /** Delivers what arrived meanwhile, in the order of arrival. */
  thaw(): void {
    this.#frozen = false
    for (const act of this.#waiting.splice(0)) act()
  }

  deliver(act: () => void): void {
    if (this.dead) return
    if (this.#frozen) this.#waiting.push(act)
    else act()
  }

  /** Settles like `work`, but never once the host is dead, and not while it is frozen. */
  arrival<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => this.deliver(() => resolve(value)),
        (error: unknown) => this.deliver(() => reject(error)),
      )
    })
  }

  /** Acts around the so many-th statement of this host from now on. */
  lightFuse(statements: number, when: When, act: () => void): void {
    this.#fuse = { statements, when, act }
  }

  burn(when: When): void {
    if (this.#fuse?.when !== when || this.#fuse.statements-- > 0) return
    const { act } = this.#fuse
    this.#fuse = null
    act()
  }

  /** The clocks of its process. The monotonic one counts while the host is frozen, as after SIGSTOP. */
  get clock(): Clock {
    return {
      now: () => this.#time.now,
      monotonic: () => this.#time.now - this.bornAt,
      sleep: (ms, signal) => {
        const limited = Number.isFinite(ms) ? Math.min(Math.ceil(Math.max(ms, 0)), maxTimerMs) : 0
        return this.#sleep(limited, signal)
      },
    }
  }

  async #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      // An aborted sleep is no event any more.
      const sleep = { dead: false, bornAt: this.bornAt }
      const abort = () => {
        sleep.dead = true
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      const end = () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      this.#time.at(this.#time.now + ms, () => this.deliver(end), sleep)
    })
  }
}
