import type { Change, Changes, Database, Ran, RecordInserts, Words } from './database.ts'
import { type Builder, type Query, queryOf, type RowOf } from './orm.ts'
import type { Statement, Step } from './steps.ts'
import { ChangeVersions } from './versions.ts'

export abstract class BaseDatabase implements Database {
  abstract readonly sql: Words
  readonly versions = new ChangeVersions()

  abstract prepare<Bind extends readonly unknown[] = readonly unknown[], Row = unknown>(
    text: string,
  ): Statement<Bind, Row>
  abstract prepareRows<Bind extends readonly unknown[], Row extends readonly unknown[]>(
    text: string,
  ): Statement<Bind, Row>
  abstract prepareValues<Bind extends readonly unknown[], Value>(text: string): Statement<Bind, Value>
  abstract recordInserts(table: string, columns: readonly string[]): RecordInserts
  abstract read<T>(body: () => Step<T>): Ran<Promise<T>>
  abstract writeProgress<T>(body: () => Step<T>): Ran<Promise<T>>
  abstract transact<T>(changes: Changes, body: () => Step<T>): Promise<T>

  /** @returns errors of the driver with reason `store`, others unchanged. */
  protected abstract errorOf(error: unknown): unknown

  select<Result>(builder: Builder<Result>): Query<RowOf<Result>> {
    return queryOf((text) => this.prepareRows(text), builder)
  }

  run<T>(operation: () => T | Promise<T>): Ran<Promise<T>> {
    const running = async () => {
      try {
        return await operation()
      } catch (error) {
        throw this.errorOf(error)
      }
    }
    return running() as Ran<Promise<T>>
  }

  readOwn<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.read(body)
  }

  readTogether<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  write<T>(change: Change, body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() => this.transact(change, body))
  }

  /** For databases that run writing transactions one after the other. */
  async settledIds(tables: readonly string[]): Promise<readonly number[] | null> {
    return tables.map(() => Number.MAX_SAFE_INTEGER)
  }

  each<T>(items: AsyncIterable<T>): Ran<AsyncIterable<T>> {
    const errorOf = (error: unknown) => this.errorOf(error)
    async function* reading() {
      try {
        yield* items
      } catch (error) {
        throw errorOf(error)
      }
    }
    return reading() as AsyncIterable<T> as Ran<AsyncIterable<T>>
  }
}
