import { setImmediate as nextTurn } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import BetterSqlite3 from 'better-sqlite3'
import { BaseDatabase } from '../../../src/store/base-database.ts'
import type { Changes, Ran, RecordInserts } from '../../../src/store/database.ts'
import { keepWaiverRecord } from '../../../src/store/sqlite/triggers.ts'
import { words } from '../../../src/store/sqlite/words.ts'
import type { Ask, Statement, Step, Steps, Take } from '../../../src/store/steps.ts'

type Rows = 'arrays' | 'objects' | 'values'

interface Text {
  readonly text: string
  readonly rows: Rows
}

type Asked = Ask | Take

type Moment = 'before the first step' | 'before the commit' | 'after the read'

/**
 * Takes each step in a turn of the event loop of its own and each transaction on a connection of its own, like a
 * database behind a network. A body begins before its transaction has the right to write.
 */
export class WaitingDatabase extends BaseDatabase {
  readonly sql = words
  /** Called once at the next such moment; a failure is one of the database. */
  readonly next = new Map<Moment, () => Promise<unknown>>()
  readonly #path: string
  readonly #writing = new Mutex()

  constructor(path: string) {
    super()
    this.#path = path
  }

  prepare<Bind extends readonly unknown[] = readonly unknown[], Row = unknown>(text: string): Statement<Bind, Row> {
    return statementOf({ text, rows: 'objects' })
  }

  prepareRows<Bind extends readonly unknown[], Row extends readonly unknown[]>(text: string): Statement<Bind, Row> {
    return statementOf({ text, rows: 'arrays' })
  }

  prepareValues<Bind extends readonly unknown[], Value>(text: string): Statement<Bind, Value> {
    return statementOf({ text, rows: 'values' })
  }

  recordInserts(): RecordInserts {
    const refuse = () => {
      throw new TypeError('This database takes no records')
    }
    return { reserve: refuse, insert: refuse }
  }

  read<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.run(async () => {
      using raw = opened(this.#path)
      raw.connection.exec('begin')
      const steps = body()[Symbol.iterator]()
      const result = await taken(steps, steps.next(), raw.connection)
      await this.#reach('after the read')
      return result
    })
  }

  writeProgress<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.write('nothing', body)
  }

  async transact<T>(changes: Changes, body: () => Step<T>): Promise<T> {
    const steps = body()[Symbol.iterator]()
    const first = steps.next()
    await this.#reach('before the first step')
    try {
      return await this.#writing.runExclusive(async () => {
        using raw = opened(this.#path)
        keepWaiverRecord(raw.connection)
        raw.connection.exec('begin immediate')
        const result = await taken(steps, first, raw.connection)
        await this.#reach('before the commit')
        raw.connection.exec('commit')
        return result
      })
    } finally {
      this.versions.note(changes)
    }
  }

  protected override errorOf(error: unknown): unknown {
    return error
  }

  async #reach(moment: Moment): Promise<void> {
    const act = this.next.get(moment)
    this.next.delete(moment)
    await act?.()
  }
}

/** Closing rolls back what was not committed. */
function opened(path: string) {
  const connection = new BetterSqlite3(path)
  return { connection, [Symbol.dispose]: () => void connection.close() }
}

function statementOf<Bind extends readonly unknown[], Row>(statement: Text): Statement<Bind, Row> {
  function* step<T>(shape: Ask['shape'], params: Bind): Steps<T> {
    return (yield { statement, params, shape }) as T
  }
  return {
    all: (...params) => step<Row[]>('all', params),
    get: (...params) => step('get', params),
    run: (...params) => step('run', params),
  }
}

async function taken<T>(
  steps: Iterator<Asked, T, unknown>,
  first: IteratorResult<Asked, T>,
  raw: BetterSqlite3.Database,
): Promise<T> {
  let next = first
  while (next.done !== true) {
    await nextTurn()
    next = steps.next('sent' in next.value ? next.value.sent : answered(raw, next.value))
  }
  return next.value
}

/** What is asked ahead is answered at once. */
function answered(raw: BetterSqlite3.Database, { statement: asked, params, shape }: Ask): unknown {
  const { text, rows } = asked as Text
  const statement = raw.prepare(text)
  if (shape === 'run') return void statement.run(...params)
  if (rows === 'arrays') statement.raw()
  if (rows === 'values') statement.pluck()
  return statement[shape](...params)
}
