import { minuteMs } from '../../model/durations.ts'
import { minFreshnessMs } from '../../model/freshness.ts'
import type { Database } from '../database.ts'
import type { Steps } from '../steps.ts'
import type { Confirmation, resultStatements, StoredState } from './result-statements.ts'

/** Interval at which an unchanged check result is written; confirmations in between stay in memory. */
const confirmEveryMs = 5 * minuteMs

/** Confirmations written in one transaction: some 10 ms. */
const writtenAtOnce = 1000

export interface Confirmations {
  /** By check. Take them before the states are read, for `confirmedState`: once written, they are forgotten. */
  of(tenantId: number): ReadonlyMap<string, Confirmation>
  last(tenantId: number, check: string): Confirmation | undefined
  /** Writes at once only where the record must show a gap. */
  confirm(tenantId: number, check: string, at: number, currentForMs?: number): Promise<void>
  /** The stored state after its last confirmation was written. Take the steps inside a transaction. */
  written(tenantId: number, check: string): Steps<StoredState | undefined>
  /** Call after another check result was committed. */
  forget(tenantId: number, check: string): void
  /** What passes is not shown after its last confirmation. */
  expirePasses(tenantId: number): Promise<void>
  /** Writes those whose check results were written more than five minutes ago. */
  storeDue(): Promise<void>
  /** Writes all, for closing, which continues without a writable database: only they are lost then. */
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
    const written = await database.transact('nothing', function* () {
      const found = some()
      for (const confirmation of found) yield* sql.confirm.run(confirmation)
      return found
    })
    // A later confirmation may have come while these were written.
    for (const one of written) if (last(one.tenantId, one.check) === one) forget(one.tenantId, one.check)
  }

  function* written(tenantId: number, check: string): Steps<StoredState | undefined> {
    const confirmation = last(tenantId, check)
    if (confirmation !== undefined) yield* sql.confirm.run(confirmation)
    return yield* sql.stateOf.get(tenantId, check)
  }

  /** Where the record shows a gap, the same result begins again. */
  function* beginAgain(tenantId: number, check: string, at: number): Steps<void> {
    const state = yield* written(tenantId, check)
    if (state === undefined) return
    yield* sql.record(tenantId, { ...state, evaluatedAt: at }, check)
    yield* sql.evaluated.run(at, tenantId, check)
  }

  return {
    of: (tenantId) => new Map(confirmed.get(tenantId)),
    last,
    written,
    async confirm(tenantId, check, at, currentForMs) {
      const before = last(tenantId, check)
      const state = await database.read(() => sql.stateOf.get(tenantId, check))
      if (state === undefined) return
      if (isGap(confirmedState(state, before), at, currentForMs)) {
        await database.transact('nothing', () => beginAgain(tenantId, check, at))
        forget(tenantId, check)
        return
      }
      const ofTenant = confirmed.get(tenantId) ?? new Map<string, Confirmation>()
      confirmed.set(tenantId, ofTenant.set(check, { tenantId, check, of: state.evaluatedAt, at }))
    },
    forget,
    async expirePasses(tenantId) {
      const last = [...(confirmed.get(tenantId)?.values() ?? [])]
      await database.transact('nothing', function* () {
        for (const one of last) yield* sql.confirm.run(one)
        yield* sql.expirePasses.run(tenantId)
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

/** The state with its last confirmation, unless that is of another result. */
export function confirmedState(state: StoredState, last: Confirmation | undefined): StoredState {
  const isOfIt = last !== undefined && state.evaluatedAt >= last.of && state.evaluatedAt <= last.at
  return isOfIt ? { ...state, evaluatedAt: last.at } : state
}

/** An expired result, or one later than a clock that was set back: the record then shows the interruption. */
export function isGap({ evaluatedAt, validUntil }: StoredState, at: number, currentForMs = minFreshnessMs): boolean {
  return at - evaluatedAt > currentForMs || at < evaluatedAt || (validUntil !== null && at > validUntil)
}
