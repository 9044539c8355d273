import type { Log } from '../model/log.ts'

/** Work due after a change of the configuration: close findings of removed tenants, record the configuration. */
export interface OwedRemovals {
  owe(): void
  /** Concurrent callers share one round. @throws what the round throws; the work then stays due. */
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
    // Before the round, because a change during it needs another one.
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
