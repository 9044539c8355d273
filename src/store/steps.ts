/** A statement that a driver runs for a store operation. */
export interface Ask {
  readonly statement: unknown
  readonly params: readonly unknown[]
  readonly shape: 'all' | 'get' | 'run'
  /** The driver sends it without waiting and returns a handle for `Take`. */
  readonly isAhead?: true
}

/** Waits for the answer to an `Ask` with `isAhead`. */
export interface Take {
  readonly sent: unknown
}

/** Steps of a store operation; each driver runs them to the end in its way. */
export type Steps<T> = Generator<Ask | Take, T, unknown>

/** Steps of an operation that also waits for other things than the database. */
export type SlowSteps<T> = AsyncGenerator<Ask | Take, T, unknown>

/** Lazy: nothing happens before `yield*`. Use it once. */
export interface Step<T> {
  [Symbol.iterator](): Iterator<Ask | Take, T, unknown>
}

/** Sends a statement; the returned step waits for its answer. So an operation waits once for several statements. */
export function* ahead<T>(step: Step<T>): Steps<Step<T>> {
  const steps = step[Symbol.iterator]()
  const asked = steps.next()
  if (asked.done === true) return answered(asked.value)
  if ('sent' in asked.value) throw new TypeError('Only a statement can be asked ahead')
  return taking(steps, yield { ...asked.value, isAhead: true })
}

/** Waits for the end of a long statement: a server that completes none of several in a minute counts as dead. */
export function* ended(step: Step<void>): Steps<void> {
  const end = yield* ahead(step)
  yield* end
}

const askedAtOnce = 500

/** Runs one statement per key; waits once for some hundred answers. */
export function* askEach<Key, T>(keys: readonly Key[], ask: (key: Key) => Step<T>): Steps<T[]> {
  const answers: T[] = []
  for (let from = 0; from < keys.length; from += askedAtOnce) {
    const asked: Step<T>[] = []
    for (const key of keys.slice(from, from + askedAtOnce)) asked.push(yield* ahead(ask(key)))
    for (const one of asked) answers.push(yield* one)
  }
  return answers
}

function answered<T>(value: T): Step<T> {
  return {
    // biome-ignore lint/correctness/useYield: The answer is there.
    *[Symbol.iterator]() {
      return value
    },
  }
}

function taking<T>(steps: Iterator<Ask | Take, T, unknown>, sent: unknown): Step<T> {
  return {
    *[Symbol.iterator]() {
      let next = steps.next(yield { sent })
      while (next.done !== true) next = steps.next(yield next.value)
      return next.value
    },
  }
}

export interface Statement<Bind extends readonly unknown[], Row> {
  all(...bind: Bind): Step<Row[]>
  get(...bind: Bind): Step<Row | undefined>
  /** Returns nothing; use `returning` if the number of rows matters. */
  run(...bind: Bind): Step<void>
}

export abstract class BaseStatement<Bind extends readonly unknown[], Row> implements Statement<Bind, Row> {
  all(...bind: Bind): Step<Row[]> {
    return this.step<Row[]>('all', bind)
  }

  get(...bind: Bind): Step<Row | undefined> {
    return this.step<Row | undefined>('get', bind)
  }

  run(...bind: Bind): Step<void> {
    return this.step<void>('run', bind)
  }

  protected abstract step<T>(shape: Ask['shape'], bind: Bind): Step<T>
}
