import { html } from 'hono/html'
import * as z from 'zod'
import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import { isLoopback } from '../model/process/address.ts'
import { resourceNames, syncModes } from '../model/resource-names.ts'
import { printableJson } from '../model/text/printable.ts'
import { isCrossSite } from './access-control.ts'
import { streamed } from './findings-route.ts'
import { outcomeOf, syncPage } from './page/sync-page.ts'
import { text, unknownName, word } from './query.ts'
import { refuse, type WebContext } from './route.ts'
import type { EndedSync, WebOptions } from './web-options.ts'

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

/** Answers when all runs have ended: with a page for a browser, else with the runs as JSON. */
export async function syncRoute(c: WebContext, asked: z.output<typeof syncQuery>, options: WebOptions) {
  const { sources, clock, log } = options
  const refused = refusedAction(c, options.listen.host)
  if (refused !== null) return refused
  const unknown = unknownName(asked, sources.names())
  if (unknown !== null) return refuse(c, unknown.status, unknown.message)
  if (asked.mirror !== undefined && asked.mirror !== (await sources.firstHash()))
    return refuse(c, 409, 'This daemon works on another mirror; ask the one that works on yours')
  const runs = sources.syncNow(asked)
  // Compression would hold the white space back.
  c.header('Cache-Control', 'no-store, no-transform')
  if (c.req.header('accept')?.includes('text/html') !== true) {
    c.header('Content-Type', 'application/json; charset=UTF-8')
    const body = runs.then((ended) => `${printableJson(ended.map(shown))}\n`)
    return streamed(c, untilEnded(body, clock), options)
  }
  c.header('Content-Type', 'text/html; charset=UTF-8')
  const outcome = runs.then(outcomeOf).catch((error: unknown) => {
    log.warn({ detail: String(error), tenant: asked.tenant }, 'Sync on request failed')
    return html`<p>It <strong class="text-bad">failed</strong>, see the log.</p>`
  })
  return streamed(c, syncPage(asked.tenant, untilEnded(outcome.then(String), clock)), options)
}

/** White space until the answer is known. */
async function* untilEnded(answer: Promise<string>, clock: Clock): AsyncGenerator<string> {
  const ended = new AbortController()
  const known = answer.finally(() => ended.abort())
  known.catch(() => {})
  do {
    yield '\n'
    await clock.sleep(heartbeatMs, ended.signal).catch(() => {})
  } while (!ended.signal.aborted)
  yield await known
}

function shown({ tenant, resource, mode, outcome, reason, message, hint, counts, durationMs }: EndedSync): EndedSync {
  return { tenant, resource, mode, outcome, reason, message, hint, counts, durationMs: Math.round(durationMs) }
}

/** Whether actions are accepted: somebody is logged in, or the address is loopback. */
export function mayAct(c: WebContext, host: string): boolean {
  return c.get('access').isProtected || isLoopback(host)
}

/** Refuses what changes something from clients that may be anybody; null if it is allowed. */
export function refusedAction(c: WebContext, host: string): Response | null {
  if (!mayAct(c, host))
    return refuse(
      c,
      403,
      'Refused from every client unless server.listen is a loopback address or users or certificates are required (server.webConfig); SIGHUP reloads the configuration',
    )
  return isCrossSite(c)
    ? refuse(c, 403, 'Refused from another site: send the request from this site or without an Origin header')
    : null
}
