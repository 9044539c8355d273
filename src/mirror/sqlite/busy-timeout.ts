import type BetterSqlite3 from 'better-sqlite3'

/** Milliseconds; while a write waits nothing else happens in the process, and no signal is heard. */
const longTimeoutMs = 1000
const shortTimeoutMs = 10

/** How long the writes of an engine wait while another program holds the database. */
export interface BusyTimeout {
  /** Somebody waited in vain: until a write succeeds, the others ask in passing only, or their waits would add up. */
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
