import type { Ask, Step, Steps, Take } from '../steps.ts'
import type { AnyStatement } from './statement.ts'

/** Most rows kept of one answer, so that large answers do not fill the memory. */
const mostRows = 30

/** Most answers kept. */
const mostAnswers = 200

type Answers = Map<string, unknown>

/**
 * Cache of rows of a tenant, valid until the next transaction of the owner, who alone changes them. A body whose
 * statements are all cached takes no connection: each scrape repeats the same reads for each tenant.
 */
export class RowMemory {
  #answers: Answers = new Map()
  #changes = 0
  #writing = 0
  /** True after a failed transaction that may have been stored. */
  #isUncertain = false

  /** @param transaction runs a body on the database, perhaps several times. */
  async read<T>(body: () => Step<T>, transaction: (body: () => Step<T>) => Promise<T>): Promise<T> {
    const known = this.#recall(body())
    if (known !== null) return known.value
    const before = this.#changes
    let noted: Answers = new Map()
    const value = await transaction(() => {
      noted = new Map()
      return noting(body(), noted)
    })
    if (before === this.#changes && this.#writing === 0 && !this.#isUncertain) this.#keep(noted)
    return value
  }

  async write<T>(transaction: () => Promise<T>): Promise<T> {
    this.#writing++
    let isStored = false
    try {
      const value = await transaction()
      isStored = true
      return value
    } finally {
      this.#writing--
      this.#changes++
      this.#isUncertain = !isStored
      this.#answers = new Map()
    }
  }

  #recall<T>(step: Step<T>): { readonly value: T } | null {
    const steps = step[Symbol.iterator]()
    let next = steps.next()
    while (next.done !== true) {
      if (!isNoted(next.value)) return null
      const key = keyOf(next.value)
      if (!this.#answers.has(key)) return null
      next = steps.next(this.#answers.get(key))
    }
    return { value: next.value }
  }

  #keep(noted: Answers): void {
    if (this.#answers.size + noted.size > mostAnswers) this.#answers = new Map()
    for (const [key, answer] of noted) this.#answers.set(key, answer)
  }
}

function* noting<T>(step: Step<T>, noted: Answers): Steps<T> {
  const steps = step[Symbol.iterator]()
  let next = steps.next()
  while (next.done !== true) {
    const answer: unknown = yield next.value
    const isShort = !Array.isArray(answer) || answer.length <= mostRows
    if (isShort && isNoted(next.value)) noted.set(keyOf(next.value), answer)
    next = steps.next(answer)
  }
  return next.value
}

/** A statement that is sent ahead has no answer yet. */
function isNoted(asked: Ask | Take): asked is Ask {
  return !('sent' in asked || asked.isAhead)
}

function keyOf({ statement, params, shape }: Ask): string {
  return `${(statement as AnyStatement).name} ${shape} ${JSON.stringify(params)}`
}
