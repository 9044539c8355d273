import type BetterSqlite3 from 'better-sqlite3'

/** Milliseconds. A waiting write blocks the process, signals included. */
const longTimeoutMs = 1000
const shortTimeoutMs = 10

export interface BusyTimeout {
  /** Shortens the timeout until a write succeeds, so that waits of further operations do not add up. */
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

const weighed = /(=|\bis|\bfrom|\blimit|\boffset) \?/gi

/**
 * Prepared statements keep their plan. SQLite would recompile many of them at each run, which takes ten times as long
 * as the run: its planner examines each bound limit, and a 0 or 1 bound in an equality, such as the first tenant's id.
 * A unary plus hides a parameter from the planner without a change of its value.
 */
export function stablePlan(text: string): string {
  return text.replace(weighed, '$1 +?')
}

/** Like `transaction(body).immediate()`, which takes longer to create its functions than to begin and commit. */
export function atOnceOn(raw: BetterSqlite3.Database): <T>(body: () => T) => T {
  const run = raw.transaction((body: () => unknown) => body()).immediate
  return <T>(body: () => T) => run(body) as T
}
