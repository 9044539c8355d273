import type BetterSqlite3 from 'better-sqlite3'
import { type Ask, BaseStatement, type Step } from '../steps.ts'

interface Done<T> {
  readonly done: true
  value: T
}

/** Shared by all statements: `yield*` reads it before anything else runs. */
const result: Done<never> = { done: true, value: undefined as never }

/**
 * Statement, iterable and iterator in one object, so that a step allocates nothing: `yield*` calls `next`, which runs
 * the statement and ends.
 */
export class SqliteStatement<Bind extends readonly unknown[], Row> extends BaseStatement<Bind, Row> {
  readonly #statement: BetterSqlite3.Statement
  #shape: Ask['shape'] = 'run'
  /** Parameters of the step that was not run yet; null = none. */
  #bind: Bind | null = null

  constructor(statement: BetterSqlite3.Statement) {
    super()
    this.#statement = statement
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): Done<never> {
    const bind = this.#bind
    if (bind === null) throw new TypeError('A step was taken twice')
    this.#bind = null
    const value = this.#statement[this.#shape](...bind)
    result.value = (this.#shape === 'run' ? undefined : value) as never
    return result
  }

  protected override step<T>(shape: Ask['shape'], bind: Bind): Step<T> {
    const step = this.#bind === null ? this : new SqliteStatement<Bind, Row>(this.#statement)
    step.#shape = shape
    step.#bind = bind
    return step as Step<T>
  }
}

/** Runs steps to the end. @throws TypeError for a step that yields, which this driver's statements never do. */
export function drive<T>(step: Step<T>): T {
  const { done, value } = step[Symbol.iterator]().next()
  if (done !== true) throw new TypeError('A store operation waits for an answer')
  return value
}
