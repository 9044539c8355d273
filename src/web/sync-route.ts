import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { endsWithin } from '../model/clock.ts'
import { SyncError, withHint } from '../model/errors.ts'
import { isLoopback } from '../model/process/address.ts'
import { resourceNames, syncModes } from '../model/resource-names.ts'
import type { EndedRun } from '../model/run-result.ts'
import { printableJson } from '../model/text/printable.ts'
import { minuteMs, secondMs } from '../model/time.ts'
import { isCrossSite } from './access-control.ts'
import { streamed } from './findings-route.ts'
import { text, unknownName, word } from './query.ts'
import { refuse, type WebContext } from './route.ts'
import type { SyncRequest, WebOptions } from './web-options.ts'

export const syncQuery = z.object({
  tenant: text('Name of the tenant; absent = all tenants of this daemon'),
  resource: word('resource', resourceNames, 'Only this resource; absent = all'),
  mode: word(
    'mode',
    syncModes,
    'full = every full sync, incremental = only incremental ones; absent = incremental ones, lists that have none, and full ones of users and documents that are due',
  ),
  mirror: text('Hash of the first event of the mirror; a daemon on another one refuses with 409'),
})

/** Interval of white space before the answer, which keeps the connection open. */
const heartbeatMs = 5 * secondMs

/** Answers with the runs as JSON once all have ended, or why there are none; to a form of the page, with the page. */
export async function syncRoute(
  c: WebContext,
  asked: z.output<typeof syncQuery>,
  { forms, ...options }: WebOptions & { readonly forms: SyncForms },
) {
  const { sources } = options
  const refused = refusedAction(c, options.listen.host)
  if (refused !== null) return refused
  const unknown = unknownName(asked, sources.names())
  if (unknown !== null) return refuse(c, unknown.status, unknown.message)
  if (asked.mirror !== undefined && asked.mirror !== (await sources.firstHash()))
    return refuse(c, 409, 'This daemon works on another mirror; ask the one that works on yours')
  // What browsers send for other sites without a script has a body, and so a type.
  if (c.req.header('content-type') !== undefined) {
    const page = await forms.pageOf(c)
    if (page === null || asked.tenant === undefined)
      return refuse(c, 403, 'Refused: the form is not from a present page; go back, reload the page and press again')
    await forms.run(asked.tenant, asked)
    return c.redirect(`../?${new URLSearchParams(page)}#tenant-${asked.tenant}`, 303)
  }
  c.header('Content-Type', 'application/json; charset=UTF-8')
  // Compression would hold the white space back.
  c.header('Cache-Control', 'no-store, no-transform')
  return streamed(c, untilEnded(sources.syncNow(asked), options), options, false)
}

async function* untilEnded(
  work: Promise<readonly EndedRun[]>,
  { clock, log }: Pick<WebOptions, 'clock' | 'log'>,
): AsyncGenerator<string> {
  const ended = new AbortController()
  const failed = (error: unknown) => {
    log.warn({ detail: String(error) }, 'Sync on request failed')
    return { error: error instanceof SyncError ? withHint(error) : 'An unforeseen fault; see the log' }
  }
  const answer = work.then((runs) => runs.map(shown), failed).finally(() => ended.abort())
  do {
    yield '\n'
    await clock.sleep(heartbeatMs, ended.signal).catch(() => {})
  } while (!ended.signal.aborted)
  yield `${printableJson(await answer)}\n`
}

function shown({ tenant, resource, mode, outcome, reason, message, hint, counts, durationMs }: EndedRun): EndedRun {
  return { tenant, resource, mode, outcome, reason, message, hint, counts, durationMs: Math.round(durationMs) }
}

/** Whether actions are accepted: somebody is logged in, the address is loopback, or this machine or container asks. */
export function mayAct(c: WebContext, host: string): boolean {
  return c.get('access').isProtected || isLoopback(host) || isFromHere(c)
}

/** False for what a proxy beside the daemon says that it forwards. */
function isFromHere({ env, req }: WebContext): boolean {
  const peer = env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  return isLoopback(peer) && !Object.keys(req.header()).some((name) => /^(x-)?forwarded(-|$)/.test(name))
}

/** Refuses what changes something from clients that may be anybody; null if it is allowed. */
export function refusedAction(c: WebContext, host: string): Response | null {
  if (!mayAct(c, host))
    return refuse(
      c,
      403,
      'Refused: only clients on this machine (or in the container of the daemon) may do this, unless server.listen is a loopback address or users or certificates are required (server.webConfig)',
    )
  return isCrossSite(c)
    ? refuse(c, 403, 'Refused from another site: send the request from this site or without an Origin header')
    : null
}

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
