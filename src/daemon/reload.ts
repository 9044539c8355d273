import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Mutex } from 'async-mutex'
import { ConfigError } from '../config/mistakes.ts'
import type { Settings, Waiver } from '../config/settings.ts'
import { formatListen } from '../config/values.ts'
import { endsWithin } from '../model/clock.ts'
import { UsageError } from '../model/errors.ts'
import { firstOf } from '../model/text/words.ts'
import type { Probe } from '../web/web-options.ts'
import { type Change, changeBetween } from './change-tenants.ts'
import type { DaemonParts, Jobs } from './jobs.ts'

export interface Reloading {
  /** @throws ConfigError that names every problem. */
  readonly load: () => Settings
  readonly setLogLevel: (level: string) => void
}

export interface ReloadParts extends DaemonParts {
  readonly reloading: Reloading
  readonly jobs: Jobs
}

/** Reloads the configuration, one request after the other. */
export class Reloader {
  readonly #parts: ReloadParts
  readonly #queue = new Mutex()
  #waiting: Promise<Probe> | undefined
  #ended = false
  /** When the last reload failed, milliseconds since the epoch; null if it did not. */
  failedAt: number | null = null

  constructor(parts: ReloadParts) {
    this.#parts = parts
  }

  /** Requests during a waiting reload share it, because it reads the files later. */
  reload(): Promise<Probe> {
    this.#waiting ??= this.#queue.runExclusive(async () => {
      // Signals of a burst arrive in one turn of the event loop; without the wait each would cause a reload.
      await yieldToEventLoop()
      this.#waiting = undefined
      if (this.#ended) return { ok: false, text: 'The daemon is stopping' }
      const outcome = await this.#attempt()
      this.failedAt = outcome.ok ? null : this.#parts.io.clock.now()
      return outcome
    })
    return this.#waiting
  }

  async dispose(graceMs: number): Promise<void> {
    this.#ended = true
    await endsWithin(this.#parts.io.clock, this.#queue.waitForUnlock(), graceMs)
  }

  /** All or nothing: settings change after every step that can fail. */
  async #attempt(): Promise<Probe> {
    const { reloading, session, webConfiguration, jobs, io, log } = this.#parts
    try {
      const next = reloading.load()
      const problems = needingRestart(session.settings, next)
      if (problems.length > 0) throw new ConfigError(problems)
      const web = webConfiguration.read(next.server.webConfig)
      const before = session.settings
      // Switch both at once, so that one does not admit requests that the other no longer allows.
      const { change: tenants, opened } = await session.reconfigure(next, () => webConfiguration.use(web))
      const waivers = changeBetween(byId(before.waivers), byId(next.waivers))
      reloading.setLogLevel(next.logLevel)
      session.metrics.configReloaded(true, io.clock.now())
      log.info({ ...tenants, waivers }, 'Configuration reloaded')
      if (!this.#ended) await jobs.takeUp(opened)
      return { ok: true, text: `Reloaded: ${inWords(tenants, waivers)}` }
    } catch (error) {
      session.metrics.configReloaded(false, io.clock.now())
      const problems = problemsOf(error)
      const fields = error instanceof UsageError ? { problems } : { problems, err: error }
      log.error(fields, 'The configuration cannot be reloaded; the last good one stays in force')
      return { ok: false, text: problems.join('\n') }
    }
  }
}

function needingRestart(now: Settings, next: Settings): string[] {
  const pairs = [
    ['store', now.store, next.store],
    ['server.listen', formatListen(now.server), formatListen(next.server)],
  ] as const
  // Without the values: the arguments of a command may be secret.
  return pairs.flatMap(([key, before, after]) =>
    isDeepStrictEqual(before, after) ? [] : [`\`${key}\` changes, which takes a restart`],
  )
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems
  return [error instanceof Error ? error.message : String(error)]
}

function byId(waivers: readonly Waiver[]): ReadonlyMap<string, Waiver> {
  return new Map(waivers.map((waiver) => [waiver.id, waiver]))
}

function inWords(tenants: Change, waivers: Change): string {
  const all = Object.entries({
    added: tenants.added,
    changed: tenants.changed,
    removed: tenants.removed,
    'added waivers': waivers.added,
    'changed waivers': waivers.changed,
    'removed waivers': waivers.removed,
  })
  const parts = all.filter(([, names]) => names.length > 0)
  if (parts.length === 0) return 'the file is in force; no tenant and no waiver changed'
  return parts.map(([what, names]) => `${what} ${firstOf(names)}`).join('; ')
}
