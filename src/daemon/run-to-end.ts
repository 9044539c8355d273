import type { Clock } from '../model/clock.ts'
import type { RunResult } from '../sync/run-result.ts'

export interface WaitedRun {
  run(): Promise<Pick<RunResult, 'pages' | 'retryAt'>>
  /** Wall time until which the tenant wants nothing sent, by the client's own count; 0 when it does not say. */
  blockedUntil(): number
}

/**
 * A run that the tenant's rate limit ended goes on when the wait is over, as often as it comes further. One that brought
 * nothing after its wait is left to the next tick.
 */
export async function runToEnd(work: WaitedRun, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let resumed = false; ; resumed = true) {
    const { retryAt, pages } = await work.run()
    if (retryAt === null || (resumed && pages === 0)) return
    // No setting of the wall clock moves what is left by the client's count.
    await clock.sleep(Math.max(0, work.blockedUntil() - clock.now()), signal)
  }
}
