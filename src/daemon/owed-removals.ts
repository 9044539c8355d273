import type { Log } from '../model/log.ts'

/** What a change of the tenants or of their settings owes to removed tenants and to the record of the configuration. */
export interface OwedRemovals {
  owe(): void
  /** One round for all who wait. @throws what the round throws; it is owed again then. */
  settle(): Promise<void>
  /** Logs the failure. */
  tryToSettle(log: Log): Promise<void>
  /** Resolves when no round is under way. */
  ended(): Promise<void>
}

export function owedRemovals(round: () => Promise<void>): OwedRemovals {
  let isOwed = false
  let last: Promise<void> = Promise.resolve()
  const settle = () => {
    if (!isOwed) return last
    // Before the round: what changes during it owes another one.
    isOwed = false
    last = round().catch((error: unknown) => {
      isOwed = true
      throw error
    })
    return last
  }
  return {
    owe() {
      isOwed = true
    },
    settle,
    tryToSettle: (log) =>
      settle().catch((error: unknown) => log.warn({ detail: String(error) }, 'Findings not closed yet')),
    ended: () => last.catch(() => {}),
  }
}
