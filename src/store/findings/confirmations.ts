import { minuteMs } from '../../model/durations.ts'
import { minFreshnessMs } from '../../model/freshness.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { Confirmation, resultStatements, StoredState } from './result-statements.ts'

/** Interval at which an unchanged check result is written; confirmations in between stay in memory. */
const confirmEveryMs = 5 * minuteMs

/** Confirmations written in one transaction, which takes some 10 ms. */
const writtenAtOnce = 1000

export interface Confirmations {
  /** By check, for `confirmedState`. Call before the states are read, because written confirmations are dropped. */
  of(tenantId: number): ReadonlyMap<string, Confirmation>
  last(tenantId: number, check: string): Confirmation | undefined
  /** Keeps a confirmation in memory; writes it at once if the history must have a gap. */
  confirm(tenantId: number, check: string, at: number, currentForMs?: number): Promise<void>
  /** Writes the last confirmation and returns the stored state. Run the steps inside a transaction. */
  written(tx: Sql, tenantId: number, check: string): Promise<StoredState | undefined>
  /** Call after a different check result was committed. */
  forget(tenantId: number, check: string): void
  /** Passes are not shown beyond their last confirmation. */
  expirePasses(tenantId: number): Promise<void>
  /** Writes confirmations of check results that were last written more than five minutes ago. */
  storeDue(): Promise<void>
  /** Writes all, for closing. If the database cannot be written, only they are lost and closing continues. */
  flush(): Promise<void>
}

export function confirmationStore(database: Database, sql: ReturnType<typeof resultStatements>): Confirmations {
  const confirmed = new Map<number, Map<string, Confirmation>>()
  const all = () => [...confirmed.values()].flatMap((ofTenant) => [...ofTenant.values()])
  const due = () => all().filter(({ of, at }) => at - of >= confirmEveryMs)

  const last = (tenantId: number, check: string) => confirmed.get(tenantId)?.get(check)

  function forget(tenantId: number, check: string): void {
    confirmed.get(tenantId)?.delete(check)
  }

  async function write(some: () => readonly Confirmation[]): Promise<void> {
    const written = await database.write('nothing', async (tx) => {
      const found = some()
      for (const confirmation of found) await sql.confirm.run(tx, confirmation)
      return found
    })
    // A later confirmation may have been added meanwhile.
    for (const one of written) if (last(one.tenantId, one.check) === one) forget(one.tenantId, one.check)
  }

  async function written(tx: Sql, tenantId: number, check: string): Promise<StoredState | undefined> {
    const confirmation = last(tenantId, check)
    if (confirmation !== undefined) await sql.confirm.run(tx, confirmation)
    return await sql.stateOf.get(tx, tenantId, check)
  }

  /** Writes a new row for the same result after a gap in the history. */
  async function beginAgain(tx: Sql, tenantId: number, check: string, at: number): Promise<void> {
    const state = await written(tx, tenantId, check)
    if (state === undefined) return
    await sql.record(tx, tenantId, { ...state, evaluatedAt: at }, check)
    await sql.evaluated.run(tx, at, tenantId, check)
  }

  return {
    of: (tenantId) => new Map(confirmed.get(tenantId)),
    last,
    written,
    async confirm(tenantId, check, at, currentForMs) {
      const before = last(tenantId, check)
      const state = await database.read((tx) => sql.stateOf.get(tx, tenantId, check))
      if (state === undefined) return
      if (isGap(confirmedState(state, before), at, currentForMs)) {
        await database.write('nothing', (tx) => beginAgain(tx, tenantId, check, at))
        forget(tenantId, check)
        return
      }
      const ofTenant = confirmed.get(tenantId) ?? new Map<string, Confirmation>()
      confirmed.set(tenantId, ofTenant.set(check, { tenantId, check, of: state.evaluatedAt, at }))
    },
    forget,
    async expirePasses(tenantId) {
      const last = [...(confirmed.get(tenantId)?.values() ?? [])]
      await database.write('nothing', async (tx) => {
        for (const one of last) await sql.confirm.run(tx, one)
        await sql.expirePasses.run(tx, tenantId)
      })
    },
    async storeDue() {
      while (due().length > 0) await write(() => due().slice(0, writtenAtOnce))
    },
    async flush() {
      if (all().length > 0) await write(all).catch(() => {})
    },
  }
}

/** The state with its last confirmation, unless that belongs to another result. */
export function confirmedState(state: StoredState, last: Confirmation | undefined): StoredState {
  const isOfIt = last !== undefined && state.evaluatedAt >= last.of && state.evaluatedAt <= last.at
  return isOfIt ? { ...state, evaluatedAt: last.at } : state
}

/** True if the result has expired, or is later than a clock that was set back: the history then has a gap. */
export function isGap({ evaluatedAt, validUntil }: StoredState, at: number, currentForMs = minFreshnessMs): boolean {
  return at - evaluatedAt > currentForMs || at < evaluatedAt || (validUntil !== null && at > validUntil)
}
