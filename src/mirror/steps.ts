/** A statement that a driver runs for a store operation. */
export interface Ask {
  readonly statement: unknown
  readonly params: readonly unknown[]
  readonly shape: 'all' | 'get' | 'run'
}

/** Steps of a store operation; each driver runs them to the end in its way. */
export type Steps<T> = Generator<Ask, T, unknown>

/** Steps between which the operation also waits for other things than the database. */
export type SlowSteps<T> = AsyncGenerator<Ask, T, unknown>

/** Lazy: nothing happens before `yield*`. Take it once. */
export interface Step<T> {
  [Symbol.iterator](): Iterator<Ask, T, unknown>
}

export interface Statement<Bind extends readonly unknown[], Row> {
  all(...bind: Bind): Step<Row[]>
  get(...bind: Bind): Step<Row | undefined>
  /** The outcome is not asked for; where the number of rows matters, the statement has `returning`. */
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
