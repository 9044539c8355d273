import type BetterSqlite3 from 'better-sqlite3'

/** Milliseconds. A waiting write blocks the process, signals included. */
const longTimeoutMs = 1000
const shortTimeoutMs = 10

export interface BusyTimeout {
  /** Shortens the timeout until a write succeeds; otherwise the waits of further operations add up. */
  lose(): void
  regain(): void
}

export function busyTimeoutOf(raw: BetterSqlite3.Database): BusyTimeout {
  let isLong = true
  const wait = (ms: number) => raw.exec(`pragma busy_timeout = ${ms}`)
  wait(longTimeoutMs)
  return {
    lose() {
      if (isLong) wait(shortTimeoutMs)
      isLong = false
    },
    regain() {
      if (!isLong) wait(longTimeoutMs)
      isLong = true
    },
  }
}
