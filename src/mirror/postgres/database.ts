import type { Change, Database, Ran, RecordInserts } from '../database.ts'
import { type Builder, type Query, queryOf, type RowOf } from '../orm.ts'
import type { Statement, Step } from '../steps.ts'
import { ChangeVersions } from '../versions.ts'
import { recordInserts } from './record-inserts.ts'
import type { Sessions } from './session.ts'
import { PostgresStatement, type Rows } from './statement.ts'
import { storeError } from './store-error.ts'
import { type Kind, type Timing, transaction } from './transaction.ts'
import { postgresWords } from './words.ts'

/** Each operation takes a connection of its own for as long as its transaction lasts. */
export class PostgresDatabase implements Database {
  readonly sql = postgresWords
  readonly versions = new ChangeVersions()
  readonly #sessions: Sessions
  readonly #timing: Timing
  readonly #names = new Map<string, string>()
  readonly #turns = new Turns()

  constructor(sessions: Sessions, timing: Timing) {
    this.#sessions = sessions
    this.#timing = timing
  }

  prepare<Bind extends readonly unknown[] = readonly unknown[], Row = unknown>(text: string): Statement<Bind, Row> {
    return this.#statement(text, 'objects')
  }

  prepareRows<Bind extends readonly unknown[], Row extends readonly unknown[]>(text: string): Statement<Bind, Row> {
    return this.#statement(text, 'arrays')
  }

  prepareValues<Bind extends readonly unknown[], Value>(text: string): Statement<Bind, Value> {
    return this.#statement(text, 'values')
  }

  select<Result>(builder: Builder<Result>): Query<RowOf<Result>> {
    return queryOf((text) => this.prepareRows(text), builder)
  }

  recordInserts(table: string, columns: readonly string[]): RecordInserts {
    return recordInserts((text) => this.prepareValues(text), table, columns)
  }

  run<T>(operation: () => T | Promise<T>): Ran<Promise<T>> {
    const running = async () => {
      try {
        return await operation()
      } catch (error) {
        throw storeError(error)
      }
    }
    return running() as Ran<Promise<T>>
  }

  read<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() => this.#transaction('read', body))
  }

  write<T>(change: Change, body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() => this.transact(change, body))
  }

  writeProgress<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() => this.#transaction('progress', body))
  }

  async transact<T>(change: Change | readonly Change[], body: () => Step<T>): Promise<T> {
    const end = await this.#turns.take(change)
    try {
      return await this.#transaction('write', body)
    } finally {
      end()
      // Whatever the outcome: of a lost connection it is not known.
      for (const one of [change].flat() as readonly Change[]) this.versions.note(one)
    }
  }

  each<T>(items: AsyncIterable<T>): Ran<AsyncIterable<T>> {
    async function* reading() {
      try {
        yield* items
      } catch (error) {
        throw storeError(error)
      }
    }
    return reading() as AsyncIterable<T> as Ran<AsyncIterable<T>>
  }

  #transaction<T>(kind: Kind, body: () => Step<T>): Promise<T> {
    return transaction(this.#sessions, this.#timing, kind, body)
  }

  /** One name for each text, so that a connection prepares it once, whoever asks for it. */
  #statement<Bind extends readonly unknown[], Row>(text: string, rows: Rows): Statement<Bind, Row> {
    const name = this.#names.get(text) ?? `tenantwatch_${this.#names.size + 1}`
    this.#names.set(text, name)
    return new PostgresStatement(text, name, rows)
  }
}

/** Transactions of this process that change the same rows would conflict, and run again: they run in turn instead. */
class Turns {
  readonly #last = new Map<string, Promise<void>>()

  /** Resolves when all transactions with the same change that asked before have ended, to the end of this one. */
  async take(change: Change | readonly Change[]): Promise<() => void> {
    const key = keyOf(change)
    if (key === null) return () => {}
    const before = this.#last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, promise)
    await before
    return () => {
      if (this.#last.get(key) === promise) this.#last.delete(key)
      resolve()
    }
  }
}

/** Counts and revisions are of a resource of a tenant, findings of a check. */
function keyOf(change: Change | readonly Change[]): string | null {
  if (typeof change === 'string' || !('tenantId' in change)) return null
  return `${change.tenantId} ${'check' in change ? `check ${change.check}` : `resource ${change.resource}`}`
}
