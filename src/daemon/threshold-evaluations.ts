import { type Clock, sleepsUntil } from '../model/clock.ts'

/** Evaluations between two ticks of the schedule, at thresholds. */
export interface ThresholdEvaluations {
  /** @param atMostMs time to the next tick, which evaluates anyway. */
  evaluateAfter(tenant: string, validUntil: number, atMostMs: number): void
  ended(): Promise<unknown>
}

/** @param evaluate resolves with the instant until which the results are valid, in milliseconds since the epoch. */
export function thresholdEvaluations(
  clock: Clock,
  signal: AbortSignal,
  evaluate: (tenant: string, signal: AbortSignal) => Promise<number | null>,
): ThresholdEvaluations {
  const sleep = sleepsUntil(clock, signal)
  const planned = new Map<string, number>()
  const underWay = new Set<Promise<void>>()

  function evaluateAfter(tenant: string, validUntil: number, atMostMs: number): void {
    const at = validUntil + 1
    const waitMs = at - clock.now()
    const isPlanned = (planned.get(tenant) ?? Number.POSITIVE_INFINITY) <= at
    if (isPlanned || waitMs > atMostMs || signal.aborted) return
    planned.set(tenant, at)
    const evaluating = async () => {
      await sleep(waitMs)
      planned.delete(tenant)
      const next = await evaluate(tenant, signal)
      if (next !== null) evaluateAfter(tenant, next, atMostMs)
    }
    // After a failure the next tick evaluates.
    const ended = evaluating()
      .catch(() => {})
      .finally(() => underWay.delete(ended))
    underWay.add(ended)
  }

  return { evaluateAfter, ended: () => Promise.all(underWay) }
}
