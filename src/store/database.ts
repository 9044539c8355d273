import type { ResourceName } from '../model/resource-names.ts'
import type { Builder, Query, RowOf } from './orm.ts'
import type { Stored } from './records/record-tables.ts'
import type { Statement, Step, Steps } from './steps.ts'

/** Records and findings that a transaction may change; `acceptances` = facts of findings that waivers accept. */
export type Change =
  | 'acceptances'
  | 'everything'
  | 'nothing'
  | { readonly tenantId: number; readonly resource: ResourceName }
  | { readonly tenantId: number; readonly check: string }

export type Changes = Change | readonly Change[]

declare const ran: unique symbol

export type Ran<Result> = Result & { readonly [ran]: true }

/** A part of the mirror whose operations all run through `Database`; the compiler checks it. */
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

/** SQL in which the databases differ. */
export interface Words {
  /** Statement that reads the rows of a tenant (`@tenantId`) with the keys bound as `listOf` (`@keys`). */
  selectByKeys(rows: KeyedRows): string
  /** Condition that `column` is in the values bound as `listOf`. */
  isIn(column: string): string
  listOf(values: readonly Stored[]): List
  /** Text after a table in `from`, to use an index. */
  indexedBy(index: string): string
  /** Converts a text of decimal digits to a whole number; other texts give any number or null. */
  integerOf(text: string): string
  /** Left side of `like` with a pattern in lower case, which matches letters of either case. */
  forLike(column: string): string
  /** Pattern for letters whose case `like` does not ignore. */
  readonly pattern: Pattern
  jsonArray(values: readonly string[]): string
  /** Member of an array by index, or of an object by name. Some databases need the type, or return text. */
  jsonMember(json: string, member: number | string, type: 'integer' | 'text'): string
  jsonWith(json: string, member: string, text: string): string
  /** Rows of `columns` parameters each, for `values` and `in`. */
  rowsOf(rows: number, columns: number): string
  /** For `from`: rows of values bound as `listOf`, one list per column. Null = one statement per row is as fast. */
  readonly rowsFrom: ((columns: readonly ListColumn[]) => string) | null
}

export interface Pattern {
  readonly operator: string
  /** Patterns, one of which matches these consecutive letters, each in one of its cases; no case = any letter. */
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

/** Inserts new records of one table; a row is the values of the columns, then the stamp. */
export interface RecordInserts {
  /** Requests ids of probably new rows ahead, so that the insert does not wait; null = the insert requests them. */
  reserve(tenantId: number, rows: number): Steps<Step<readonly number[]> | null>
  /** Returns the ids of the new rows, in the same order. */
  insert(
    rows: readonly (readonly Stored[])[],
    stamp: InsertStamp,
    reserved: Step<readonly number[]> | null,
  ): Steps<readonly number[]>
}

/** Counters of changes, in memory, because only this process's engine writes records and findings. */
export interface Versions {
  ofRecords(tenantId: number, resource: ResourceName): number
  ofFindings(tenantId: number, check: string): number
}

/**
 * The database as stores see it. Operations run through `run`, `read`, `write`, `writeProgress` or `each`, which
 * convert the driver's errors to reason `store`. A body may run several times, from its beginning, if the database
 * requires it.
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
  /** SQL and row mapping by drizzle; placeholders are bound by name. */
  select<Result>(builder: Builder<Result>): Query<RowOf<Result>>
  recordInserts(table: string, columns: readonly string[]): RecordInserts
  /** An operation of several parts, which it runs through `read` and `transact`. */
  run<T>(operation: () => T | Promise<T>): Ran<Promise<T>>
  /** All reads of the body see the same state of the database. */
  read<T>(body: () => Step<T>): Ran<Promise<T>>
  /** The same for rows that only the owner of the tenant writes, which may be in memory from an earlier read. */
  readOwn<T>(body: () => Step<T>): Ran<Promise<T>>
  /** Reads of `work` share one transaction if the database is on a network, to save round trips. */
  readTogether<T>(work: () => Promise<T>): Promise<T>
  /** One transaction. @param change counts as made even if the body changes nothing or fails. */
  write<T>(change: Change, body: () => Step<T>): Ran<Promise<T>>
  /** Like `write`, for progress, which survives a kill, but may be lost by a power cut before the next transaction. */
  writeProgress<T>(body: () => Step<T>): Ran<Promise<T>>
  /** One of the transactions of an operation. Call inside `run`. */
  transact<T>(changes: Changes, body: () => Step<T>): Promise<T>
  /**
   * By table, the id up to which all rows are committed: a transaction may commit after another one with higher ids.
   * Null = unknown, because others are writing. Call inside `run`.
   */
  settledIds(tables: readonly string[]): Promise<readonly number[] | null>
  each<T>(items: AsyncIterable<T>): Ran<AsyncIterable<T>>
}
