type Write = (fields: object, message: string) => void

/** The part of a pino logger that the parts of tenantwatch use: object first, fixed message. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  child(fields: Record<string, unknown>): Log
}

/** A log that says nothing, for tests and for commands whose output is their result. */
export function silentLog(): Log {
  const nothing: Write = () => {}
  const log: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => log }
  return log
}
