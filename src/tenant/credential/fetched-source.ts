import { secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { waitFor } from '../wait-for.ts'
import type { Secret } from './secret.ts'
import type { SecretSource } from './secret-source.ts'

export interface Fetched {
  readonly secret: Secret
  /** How long it may be used before it is fetched again, in milliseconds. */
  readonly lifeMs: number
}

export interface FetchedSourceOptions {
  readonly renewsIdentity: boolean
  /** Monotonic time in milliseconds. */
  readonly monotonic: () => number
  /** A refusal by the server leads to one renewal in so many milliseconds at most. */
  readonly cycleMs: number
  /** A secret that the fetching needs; when it changes, earlier failures and refusals no longer count. */
  readonly input?: SecretSource
  fetch(signal: AbortSignal, input: Secret | undefined): Promise<Fetched>
}

/** After a failed fetch nobody asks again for so long; a refusal of the credential counts for a whole cycle. */
const failureRestMs = 30 * secondMs

/**
 * A secret whose fetching costs something (a process, a request): fetched once for all who wait, kept for its life, and
 * never fetched wildly, neither after failures nor while the server refuses it.
 */
export function fetchedSource(options: FetchedSourceOptions): SecretSource {
  const { monotonic, cycleMs } = options
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
      const refused = error instanceof SyncError && error.reason === 'unauthorized'
      failed = { error, until: monotonic() + (refused ? Math.max(cycleMs, failureRestMs) : failureRestMs) }
      throw error
    } finally {
      running = undefined
    }
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

  async function glance(): Promise<Secret | undefined> {
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
    renewsIdentity: options.renewsIdentity,
    current,
    glance,
    renew,
    dispose() {
      life.abort()
      options.input?.dispose()
    },
  }
}
