import { AsyncLocalStorage } from 'node:async_hooks'
import type { SlowSteps, Step } from '../steps.ts'
import type { Sessions } from './session.ts'
import { type Timing, watched } from './transaction.ts'

const current = new AsyncLocalStorage<SharedRead>()

/** The transaction that reads of these connections share here; null outside `readTogether`. */
export function sharedRead(sessions: Sessions): SharedRead | null {
  const shared = current.getStore()
  return shared?.isOpenOn(sessions) === true ? shared : null
}

/**
 * Reads of `work` share one transaction, which the first one begins: a round trip each instead of four statements.
 *
 * @param writes changes with each transaction that writes: what is read after it must see it, so that no memory of this
 * process takes something older for the present.
 */
export async function readTogether<T>(
  sessions: Sessions,
  timing: Timing,
  writes: () => number,
  work: () => Promise<T>,
): Promise<T> {
  const shared = new SharedRead(sessions, timing, writes)
  try {
    return await current.run(shared, work)
  } finally {
    await shared.end()
  }
}

class SharedRead {
  readonly #sessions: Sessions
  readonly #timing: Timing
  readonly #writes: () => number
  readonly #seen: number
  readonly #reading = new Set<Promise<unknown>>()
  #begun: Promise<ReturnType<typeof watched>> | null = null
  #isOver = false

  constructor(sessions: Sessions, timing: Timing, writes: () => number) {
    this.#sessions = sessions
    this.#timing = timing
    this.#writes = writes
    this.#seen = writes()
  }

  isOpenOn(sessions: Sessions): boolean {
    return this.#sessions === sessions && !this.#isOver && this.#writes() === this.#seen
  }

  async read<T>(body: () => Step<T> | SlowSteps<T>): Promise<T> {
    const reading = this.#read(body)
    this.#reading.add(reading)
    try {
      return await reading
    } finally {
      this.#reading.delete(reading)
    }
  }

  /** Waits for reads that are under way, which must not go on in another transaction. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.allSettled(this.#reading)
    const begun = await this.#begun?.catch(() => null)
    if (!begun) return
    begun.end()
    await begun.running.endReads()
  }

  async #read<T>(body: () => Step<T> | SlowSteps<T>): Promise<T> {
    this.#begun ??= this.#begin()
    const { running, guard } = await this.#begun
    return guard(running.read(body()))
  }

  async #begin() {
    const begun = watched(await this.#sessions.take(), this.#timing)
    begun.running.begin('read')
    return begun
  }
}
