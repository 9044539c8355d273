import type { ResourceName } from '../model/resource-names.ts'
import type { Builder, Query, RowOf } from './orm.ts'
import type { Stored } from './records/record-tables.ts'
import type { Statement, Step, Steps } from './steps.ts'

/** Records and findings that a transaction may change; `acceptances` = what waivers accept of findings. */
export type Change =
  | 'acceptances'
  | 'everything'
  | 'nothing'
  | { readonly tenantId: number; readonly resource: ResourceName }
  | { readonly tenantId: number; readonly check: string }

export type Changes = Change | readonly Change[]

declare const ran: unique symbol

export type Ran<Result> = Result & { readonly [ran]: true }

/** A part of the mirror all of whose operations run through `Database`, as the compiler checks. */
export type Operations<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => OperationResult<Result>
    : Part[Name]
}

type OperationResult<Result> = Result extends Promise<unknown> | AsyncIterable<unknown>
  ? Ran<Result>
  : Result extends object
    ? Operations<Result>
    : Result

declare const list: unique symbol

/** Values bound as one parameter. */
export interface List {
  readonly [list]: true
}

/** Rows of a table of records, whose key is unique within a tenant. */
export interface KeyedRows {
  readonly columns: readonly string[]
  readonly table: string
  readonly key: string
}

export interface TenantKeys {
  readonly tenantId: number
  readonly keys: List
}

/** Words in which databases differ. */
export interface Words {
  /** Statement that reads the rows of a tenant (`@tenantId`) with the keys bound as `listOf` (`@keys`). */
  selectByKeys(rows: KeyedRows): string
  /** Condition that `column` is one of the values bound as `listOf`. */
  isIn(column: string): string
  listOf(values: readonly Stored[]): List
  /** After a table in `from`. */
  indexedBy(index: string): string
  /** A whole number in decimal digits, of a text. Another text gives any number or null. */
  integerOf(text: string): string
  /** Left side of `like` with a pattern in lower case, which matches letters of either case. */
  forLike(column: string): string
  /** For letters whose case `like` does not ignore. */
  readonly pattern: Pattern
  jsonArray(values: readonly string[]): string
  /** Member of an array by its number, or of an object by its name. Some databases have only texts unless told. */
  jsonMember(json: string, member: number | string, type: 'integer' | 'text'): string
  jsonWith(json: string, member: string, text: string): string
  /** Rows of as many parameters as `columns`, for `values` and `in`. */
  rowsOf(rows: number, columns: number): string
  /** For `from`: rows of values bound as `listOf`, one list a column. Null = one statement a row is as fast. */
  readonly rowsFrom: ((columns: readonly ListColumn[]) => string) | null
}

export interface Pattern {
  readonly operator: string
  /** Patterns one of which matches a text that has these letters in a row, each in one of its cases; no case = any letter. */
  of(letters: readonly (readonly string[])[]): readonly string[]
}

export interface ListColumn {
  readonly name: string
  readonly type: 'integer' | 'text'
}

export interface InsertStamp {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

/** Inserts new records of one table; every row has the values of the columns, then the stamp. */
export interface RecordInserts {
  /** Asks for the ids of rows that are probably new, so that the insert does not wait for them; null = it asks itself. */
  reserve(tenantId: number, rows: number): Steps<Step<readonly number[]> | null>
  /** Returns the ids of the new rows, in the same order. */
  insert(
    rows: readonly (readonly Stored[])[],
    stamp: InsertStamp,
    reserved: Step<readonly number[]> | null,
  ): Steps<readonly number[]>
}

/** Counters of changes, in memory: only the engine of this process writes records and findings. */
export interface Versions {
  ofRecords(tenantId: number, resource: ResourceName): number
  ofFindings(tenantId: number, check: string): number
}

/**
 * The database as stores see it. Operations run through `run`, `read`, `write`, `writeProgress` or `each`, which convert
 * the driver's errors to reason `store`. A body is run again from its beginning where the database asks for it.
 */
export interface Database {
  readonly sql: Words
  readonly versions: Versions
  /** Rows are objects. Parameters are `?`, or `@name` for the members of an object. */
  prepare<Bind extends readonly unknown[] = readonly unknown[], Row = unknown>(text: string): Statement<Bind, Row>
  /** Rows are arrays. */
  prepareRows<Bind extends readonly unknown[], Row extends readonly unknown[]>(text: string): Statement<Bind, Row>
  /** Rows are the values of their only column. */
  prepareValues<Bind extends readonly unknown[], Value>(text: string): Statement<Bind, Value>
  /** Text and rows by drizzle; placeholders are bound by name. */
  select<Result>(builder: Builder<Result>): Query<RowOf<Result>>
  recordInserts(table: string, columns: readonly string[]): RecordInserts
  /** An operation of more than one step of its own, which it takes through `read` and `transact`. */
  run<T>(operation: () => T | Promise<T>): Ran<Promise<T>>
  /** All reads of the body see one state of the database. */
  read<T>(body: () => Step<T>): Ran<Promise<T>>
  /** The same, of rows that only the owner of the tenant writes: its other reads may still know them. */
  readOwn<T>(body: () => Step<T>): Ran<Promise<T>>
  /** Reads of `work`, where the database is on a network, share one transaction: fewer waits. */
  readTogether<T>(work: () => Promise<T>): Promise<T>
  /** One transaction. @param change counts as made even when the body changes nothing or fails. */
  write<T>(change: Change, body: () => Step<T>): Ran<Promise<T>>
  /** Like `write`, for progress: it survives a kill, but a power cut can lose it until the next transaction. */
  writeProgress<T>(body: () => Step<T>): Ran<Promise<T>>
  /** One of the transactions of an operation. Call inside `run`. */
  transact<T>(changes: Changes, body: () => Step<T>): Promise<T>
  /**
   * By table, the id up to which every row is committed: one transaction may commit after another that has higher ids.
   * Null = not known now, because others are writing. Call inside `run`.
   */
  settledIds(tables: readonly string[]): Promise<readonly number[] | null>
  each<T>(items: AsyncIterable<T>): Ran<AsyncIterable<T>>
}
