import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { minuteMs, secondMs } from '../model/durations.ts'
import type { WebContext } from './route.ts'
import type { EndedSync, SyncRequest, WebOptions } from './web-options.ts'

/** A longer sync goes on after the answer, and the page shows its outcome when it ends. */
const longestWaitMs = 10 * secondMs
const shownForMs = 10 * minuteMs
const maxFormBytes = 4096

/** A sync of a tenant that somebody asked for on the page, in milliseconds since the epoch. */
export interface RequestedSync {
  readonly at: number
  /** Null while it runs. */
  readonly runs: readonly EndedSync[] | null
  readonly hasFailed?: true
}

/** The forms that the status page has for POST /-/sync. */
export class SyncForms {
  readonly #options: Pick<WebOptions, 'clock' | 'log' | 'sources'>
  readonly #key = randomBytes(32)
  readonly #last = new Map<string, RequestedSync>()

  constructor(options: Pick<WebOptions, 'clock' | 'log' | 'sources'>) {
    this.#options = options
  }

  /** Another site cannot read it; it is that of one process and login. */
  token(c: WebContext): string {
    return createHmac('sha256', this.#key)
      .update(c.req.header('authorization') ?? '')
      .digest('base64url')
  }

  /** The query of the page that a form was on; null if the form is not from a page of this process. */
  async pageOf(c: WebContext): Promise<string | null> {
    if (!(Number(c.req.header('content-length')) <= maxFormBytes)) return null
    const fields = new URLSearchParams(await c.req.text())
    const [given, wanted] = [Buffer.from(fields.get('token') ?? ''), Buffer.from(this.token(c))]
    const isSame = given.length === wanted.length && timingSafeEqual(given, wanted)
    return isSame ? (fields.get('page') ?? '') : null
  }

  lastOf(tenant: string): RequestedSync | null {
    const last = this.#last.get(tenant)
    return last === undefined || this.#options.clock.now() - last.at > shownForMs ? null : last
  }

  /** Resolves when the runs have ended, at the latest after 10 seconds. */
  async run(tenant: string, asked: SyncRequest): Promise<void> {
    const { clock, log, sources } = this.#options
    const at = clock.now()
    const set = (outcome: Omit<RequestedSync, 'at'>) => this.#last.set(tenant, { at, ...outcome })
    set({ runs: null })
    const ended = new AbortController()
    const runs = sources
      .syncNow(asked)
      .then(
        (all) => set({ runs: all }),
        (error: unknown) => {
          log.warn({ detail: String(error), tenant }, 'Sync on request failed')
          set({ runs: [], hasFailed: true })
        },
      )
      .finally(() => ended.abort())
    await Promise.race([runs, clock.sleep(longestWaitMs, ended.signal).catch(() => {})])
  }
}
