import type { Clock, Random } from '../../../model/clock.ts'
import { SyncError } from '../../../model/errors.ts'
import type { Log } from '../../../model/log.ts'

export interface Repetition {
  readonly clock: Pick<Clock, 'sleep'>
  readonly random: Random
  readonly log: Log
}

/**
 * Repeats the work. Logs each distinct problem once until it succeeds, such as a dead server, then a standby.
 *
 * @param ms interval in milliseconds, varied by up to a tenth.
 */
export async function repeat(
  ms: number,
  work: () => Promise<void>,
  { clock, random, log }: Repetition,
  signal: AbortSignal,
): Promise<void> {
  const logged = new Set<string>()
  for (;;) {
    await clock.sleep(ms * (0.9 + 0.2 * random()), signal).catch(() => {})
    if (signal.aborted) return
    try {
      await work()
      logged.clear()
    } catch (error) {
      const detail = String(error)
      const hint = error instanceof SyncError ? error.hint : undefined
      if (!logged.has(detail)) log.warn({ detail, hint }, 'The database of store.url cannot be used; trying again')
      logged.add(detail)
    }
  }
}
