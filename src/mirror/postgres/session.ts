import type { AnyStatement } from './statement.ts'

/** Rows in the form that the statement names; `command` is the tag of the answer, where the driver knows it. */
export interface Answer {
  readonly rows: readonly unknown[]
  readonly command?: string
}

/** A connection, checked out for one transaction. Answers come in the order of the statements; failures are `DriverError`. */
export interface Session {
  /** Sends without waiting for earlier answers. After a statement that fails none runs, until the next text. */
  send(statement: AnyStatement, params: readonly unknown[]): Promise<Answer>
  /** Sends text that has no parameters, of one or several statements. */
  sendText(text: string): Promise<Answer>
  /** Whether the server works for this connection: false when it waits for a statement, null when that is not known. */
  isServed?(): Promise<boolean | null>
  /** The server did not answer: connections that are open may have lost it, too, and are closed when they are taken. */
  distrust?(): void
  /** Returns the connection; `broken` = its state is unknown, so it is closed. */
  release(broken: boolean): void
}

export interface Sessions extends AsyncDisposable {
  take(): Promise<Session>
  /** Closes a connection for another pool to which the server refuses one; false = none became idle in time. */
  makeRoom?(signal: AbortSignal): Promise<boolean>
  /** Breaks all connections, also those that are taken. */
  breakAll?(): void
  /** Each connection that is open now is closed when it is taken next. */
  distrustAll?(): void
}
