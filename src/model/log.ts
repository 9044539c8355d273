type Write = (fields: object, message: string) => void

export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  child(fields: Record<string, unknown>): Log
}

export function silentLog(): Log {
  const nothing: Write = () => {}
  const log: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => log }
  return log
}
