import type { Clock } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { waitFor } from '../deadline.ts'
import type { Secret, SecretSource } from './secret.ts'

export interface Fetched {
  readonly secret: Secret
  readonly lifeMs: number
}

export interface FetchedSourceOptions extends Pick<SecretSource, 'client'> {
  readonly clock: Clock
  /** Least time between two renewals after refusals, in milliseconds. */
  readonly cycleMs: number
  fetch(signal: AbortSignal): Promise<Fetched>
}

const failureRestMs = 30 * secondMs

/** A secret that is expensive to fetch: shared by all callers, and fetched at a limited rate after failures. */
export function fetchedSource({ client, clock, cycleMs, fetch }: FetchedSourceOptions): SecretSource {
  const life = new AbortController()
  let good: (Fetched & { readonly until: number }) | undefined
  let failed: { readonly error: unknown; readonly until: number } | undefined
  let running: Promise<Secret> | undefined
  let renewedAt = Number.NEGATIVE_INFINITY

  async function fetchNow(): Promise<Secret> {
    try {
      const fetched = await fetch(life.signal)
      good = { ...fetched, until: clock.monotonic() + fetched.lifeMs }
      failed = undefined
      return fetched.secret
    } catch (error) {
      failed = { error, until: clock.monotonic() + restMs(error) }
      throw error
    } finally {
      running = undefined
    }
  }

  /** Delay after a failed fetch. The gate applies a stated wait; a refusal lasts for a cycle. */
  function restMs(error: unknown): number {
    if (!(error instanceof SyncError)) return failureRestMs
    if (error.retryAt !== undefined) return 0
    return error.reason === 'unauthorized' ? Math.max(cycleMs, failureRestMs) : failureRestMs
  }

  function fetchOnce(signal?: AbortSignal): Promise<Secret> {
    running ??= fetchNow()
    return waitFor(running, signal)
  }

  return {
    client,
    async current(signal) {
      if (good !== undefined && clock.monotonic() < good.until) return good.secret
      if (running === undefined && failed !== undefined && clock.monotonic() < failed.until) throw failed.error
      return fetchOnce(signal)
    },
    async renew(used, signal) {
      if (good !== undefined && !good.secret.equals(used)) return good.secret
      if (running === undefined) {
        if (clock.monotonic() - renewedAt < cycleMs) return used
        renewedAt = clock.monotonic()
      }
      return fetchOnce(signal)
    },
    goodForMs: () => (good === undefined ? null : Math.max(0, good.until - clock.monotonic())),
    dispose: () => life.abort(),
  }
}
