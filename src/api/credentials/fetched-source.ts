import type { Clock } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { waitFor } from '../deadline.ts'
import type { Secret, SecretSource } from './secret.ts'

export interface Fetched {
  readonly secret: Secret
  readonly lifeMs: number
}

export interface FetchedSourceOptions {
  readonly client: string | null
  readonly clock: Clock
  /** Least time between two renewals after refusals, in milliseconds. */
  readonly cycleMs: number
  /** A secret that the fetch needs; a change of it resets earlier failures and refusals. */
  readonly input?: SecretSource
  fetch(signal: AbortSignal, input: Secret | undefined): Promise<Fetched>
}

const failureRestMs = 30 * secondMs

/** A secret that is expensive to fetch: shared by all callers, and fetched at a limited rate after failures. */
export function fetchedSource(options: FetchedSourceOptions): SecretSource {
  const { clock, cycleMs } = options
  const monotonic = () => clock.monotonic()
  const life = new AbortController()
  let good: (Fetched & { readonly at: number }) | undefined
  let failed: { readonly error: unknown; readonly until: number } | undefined
  let running: Promise<Secret> | undefined
  let renewedAt = Number.NEGATIVE_INFINITY
  let lastInput: Secret | undefined

  async function fetchNow(): Promise<Secret> {
    try {
      lastInput = await options.input?.current()
      const fetched = await options.fetch(life.signal, lastInput)
      good = { ...fetched, at: monotonic() }
      failed = undefined
      return fetched.secret
    } catch (error) {
      failed = { error, until: monotonic() + restMs(error) }
      throw error
    } finally {
      running = undefined
    }
  }

  /** Delay after a failed fetch. The rate limiter applies a stated wait; a refusal lasts for a cycle. */
  function restMs(error: unknown): number {
    if (!(error instanceof SyncError)) return failureRestMs
    if (error.retryAt !== undefined) return 0
    return error.reason === 'unauthorized' ? Math.max(cycleMs, failureRestMs) : failureRestMs
  }

  function fetchOnce(signal?: AbortSignal): Promise<Secret> {
    running ??= fetchNow()
    return waitFor(running, signal)
  }

  async function inputChanged(): Promise<boolean> {
    if (options.input === undefined) return false
    try {
      const input = await options.input.current()
      return lastInput === undefined || !lastInput.equals(input)
    } catch {
      return false
    }
  }

  async function current(signal?: AbortSignal): Promise<Secret> {
    if (good !== undefined && monotonic() - good.at < good.lifeMs) return good.secret
    const resting = running === undefined && failed !== undefined && monotonic() < failed.until ? failed : undefined
    if (resting !== undefined && !(await inputChanged())) throw resting.error
    return fetchOnce(signal)
  }

  async function peek(): Promise<Secret | undefined> {
    if (good !== undefined && monotonic() - good.at < good.lifeMs) return good.secret
    return (await inputChanged()) ? fetchOnce() : undefined
  }

  async function renew(used: Secret, signal?: AbortSignal): Promise<Secret> {
    if (good !== undefined && !good.secret.equals(used)) return good.secret
    if (running === undefined) {
      if (monotonic() - renewedAt < cycleMs && !(await inputChanged())) return used
      renewedAt = monotonic()
    }
    return fetchOnce(signal)
  }

  return {
    client: options.client,
    current,
    peek,
    renew,
    goodForMs: () => (good === undefined ? null : Math.max(0, good.lifeMs - (monotonic() - good.at))),
    dispose() {
      life.abort()
      options.input?.dispose()
    },
  }
}
