import type BetterSqlite3 from 'better-sqlite3'

/** Milliseconds; while a write waits nothing else happens in the process, and no signal is heard. */
const patientMs = 1000
const impatientMs = 10

/** How long the writes of an engine wait while another program holds the database. */
export interface Patience {
  /** Somebody waited in vain: until a write succeeds, the others ask in passing only, or their waits would add up. */
  lose(): void
  regain(): void
}

export function patienceOf(raw: BetterSqlite3.Database): Patience {
  let isPatient = true
  const wait = (ms: number) => raw.exec(`pragma busy_timeout = ${ms}`)
  wait(patientMs)
  return {
    lose() {
      if (isPatient) wait(impatientMs)
      isPatient = false
    },
    regain() {
      if (!isPatient) wait(patientMs)
      isPatient = true
    },
  }
}
