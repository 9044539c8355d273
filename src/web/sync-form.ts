import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { endsWithin } from '../model/clock.ts'
import { minuteMs, secondMs } from '../model/durations.ts'
import type { EndedRun } from '../model/run-result.ts'
import type { WebContext } from './route.ts'
import type { SyncRequest, WebOptions } from './web-options.ts'

/** A longer sync goes on after the answer, and the page shows its outcome when it ends. */
const longestWaitMs = 10 * secondMs
const shownForMs = 10 * minuteMs
const maxFormBytes = 4096

/** A sync of a tenant that somebody asked for on the page, in milliseconds since the epoch. */
interface RequestedSync {
  readonly at: number
  readonly runs: 'running' | 'failed' | readonly EndedRun[]
}

/** What a page needs for its forms. */
export interface PageSync {
  readonly token: string
  /** Of the last ten minutes. */
  readonly lastOf: (tenant: string) => RequestedSync | undefined
}

/** The forms of the status page for POST /-/sync. */
export class SyncForms {
  readonly #options: Pick<WebOptions, 'clock' | 'log' | 'sources'>
  readonly #key = randomBytes(32)
  readonly #last = new Map<string, RequestedSync>()

  constructor(options: Pick<WebOptions, 'clock' | 'log' | 'sources'>) {
    this.#options = options
  }

  of(c: WebContext): PageSync {
    const now = this.#options.clock.now()
    const lastOf = (tenant: string) => {
      const last = this.#last.get(tenant)
      return now - (last?.at ?? 0) > shownForMs ? undefined : last
    }
    return { token: this.#token(c), lastOf }
  }

  /** The query of the page that a form was on; null if the form is not from a page of this process and login. */
  async pageOf(c: WebContext): Promise<string | null> {
    if (!(Number(c.req.header('content-length')) <= maxFormBytes)) return null
    const fields = new URLSearchParams(await c.req.text())
    const [given, wanted] = [Buffer.from(fields.get('token') ?? ''), Buffer.from(this.#token(c))]
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? (fields.get('page') ?? '') : null
  }

  /** Resolves when the runs have ended, at the latest after 10 seconds. */
  async run(tenant: string, asked: SyncRequest): Promise<void> {
    const { clock, log, sources } = this.#options
    const at = clock.now()
    const show = (runs: RequestedSync['runs']) => void this.#last.set(tenant, { at, runs })
    show('running')
    const failed = (error: unknown) => {
      log.warn({ detail: String(error), tenant }, 'Sync on request failed')
      show('failed')
    }
    await endsWithin(clock, sources.syncNow(asked).then(show, failed), longestWaitMs)
  }

  /** Another site cannot read it. */
  #token(c: WebContext): string {
    const login = c.req.header('authorization') ?? ''
    return createHmac('sha256', this.#key).update(login).digest('base64url')
  }
}
