import type { AnyStatement } from './statement.ts'

/** Rows in the form that the statement names; `command` is the command tag, if the driver provides it. */
export interface Answer {
  readonly rows: readonly unknown[]
  readonly command?: string
}

/** A connection, checked out for one transaction. Answers come in the order of the statements; failures are `DriverError`. */
export interface Session {
  /** Sends without waiting for earlier answers. After a failed statement no other runs until the next text. */
  send(statement: AnyStatement, params: readonly unknown[]): Promise<Answer>
  /** Sends text that has no parameters, of one or several statements. */
  sendText(text: string): Promise<Answer>
  /** True if the server works for this connection, false if it waits for a statement, null if unknown. */
  isServed?(): Promise<boolean | null>
  /** The server did not answer: other open connections may be lost, too, and are closed when taken next. */
  distrust?(): void
  /** Returns the connection; `broken` = its state is unknown, so it is closed. */
  release(broken: boolean): void
}

export interface Sessions extends AsyncDisposable {
  take(): Promise<Session>
  /** Closes a connection for another pool that the server refuses one; false = none became idle in time. */
  makeRoom?(signal: AbortSignal): Promise<boolean>
  /** Breaks all connections, also those that are taken. */
  breakAll?(): void
  /** Closes each open connection when it is taken next. */
  distrustAll?(): void
}
