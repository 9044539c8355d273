import { AsyncLocalStorage } from 'node:async_hooks'
import type { SlowSteps, Step } from '../steps.ts'
import type { Sessions } from './session.ts'
import { type Timing, watched } from './transaction.ts'

const current = new AsyncLocalStorage<SharedRead>()

/** The transaction shared by reads within `readTogether`; null outside. */
export function sharedRead(sessions: Sessions): SharedRead | null {
  const shared = current.getStore()
  return shared?.isOpenOn(sessions) === true ? shared : null
}

/**
 * Reads of `work` share a transaction, which the first one begins, so that each needs one round trip instead of four
 * statements.
 *
 * @param writes changes with each transaction that writes. Later reads must see it, so that no cache of this process
 * stores older rows.
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
  #present: { readonly seen: number; readonly transaction: OpenRead } | null = null
  #isOver = false

  constructor(sessions: Sessions, timing: Timing, writes: () => number) {
    this.#sessions = sessions
    this.#timing = timing
    this.#writes = writes
  }

  isOpenOn(sessions: Sessions): boolean {
    return this.#sessions === sessions && !this.#isOver
  }

  /**
   * After a write, continues in a new transaction, which begins when the previous one has ended, so that no reader
   * waits while it has a connection.
   */
  read<T>(body: () => Step<T> | SlowSteps<T>): Promise<T> {
    const seen = this.#writes()
    if (this.#present?.seen !== seen) {
      const before = this.#present?.transaction.end()
      this.#present = { seen, transaction: new OpenRead(this.#sessions, this.#timing, before) }
    }
    return this.#present.transaction.read(body)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#present?.transaction.end()
  }
}

class OpenRead {
  readonly #reading = new Set<Promise<unknown>>()
  readonly #begun: Promise<ReturnType<typeof watched>>

  constructor(sessions: Sessions, timing: Timing, before: Promise<void> | undefined) {
    this.#begun = begin(sessions, timing, before)
    this.#begun.catch(() => {})
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

  /** Waits for reads in progress, which must not continue in another transaction. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#reading)
    const begun = await this.#begun.catch(() => null)
    if (begun === null) return
    begun.end()
    await begun.running.endReads()
  }

  async #read<T>(body: () => Step<T> | SlowSteps<T>): Promise<T> {
    const { running, guard } = await this.#begun
    return guard(running.read(body()))
  }
}

async function begin(sessions: Sessions, timing: Timing, before: Promise<void> | undefined) {
  await before
  const begun = watched(await sessions.take(), timing)
  begun.running.begin('read')
  return begun
}
