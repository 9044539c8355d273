import { reasonOf } from '../model/errors.ts'
import { shownPostures } from '../model/posture-state.ts'
import { isLoopback } from '../model/process/loopback.ts'
import { checkAccess, isCrossSite } from './access-control.ts'
import { type Answer, headersOf, json, ofType, refuse, text, type WebRequest } from './answer.ts'
import { calendar } from './calendar.ts'
import type { HeavyLane } from './heavy-lane.ts'
import { checksJson, filterParameters, findingParameters, statusJson, streamFindings, unknownName } from './json-api.ts'
import { openApiDocument } from './openapi/document.ts'
import { loadPage } from './page/load-page.ts'
import { lostPage, renderPage } from './page/page.ts'
import { pageParameters, parsePageQuery } from './page/page-query.ts'
import { pageScript } from './page/page-script.ts'
import { runbookPage } from './page/runbook.ts'
import { favicon, stylesheet } from './page/stylesheet.ts'
import type { Probe, WebAccess, WebOptions } from './web-options.ts'

/** Answers a request; never throws. */
export type App = (request: WebRequest) => Promise<Answer>

/** A path with its one method (GET includes HEAD); openapi/operations.ts describes each route. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** True for answers whose size grows with the mirror; they are made one at a time. */
  readonly heavy?: boolean
  /**
   * Accepted parameters, each at most once. Others are refused, because a misspelled filter would filter nothing.
   * Absent = parameters are ignored.
   */
  readonly takes?: readonly string[]
  readonly handle: (request: WebRequest, access: WebAccess) => Answer | Promise<Answer>
}

export function createApp(options: WebOptions, lane: HeavyLane): App {
  const routes = new Map(createRoutes(options).map((route) => [route.path, route]))
  return async (request) => {
    // Read once, so that a reload does not mix two configurations in one answer.
    const access = options.access()
    const answer = await admit(request, access).catch((error: unknown) => {
      const { path } = request
      // Not a bug: the database is unreachable, or another replica has just taken the tenant.
      if (['aborted', 'store'].includes(reasonOf(error))) {
        options.log.warn({ detail: String(error), path }, 'Web request failed')
        return refuse(request, 503, 'The database cannot be read now: see the log', { 'Retry-After': '5' })
      }
      options.log.error({ err: error, path }, 'Web request failed')
      return refuse(request, 500, 'Internal error: see the log')
    })
    return { ...answer, headers: { ...answer.headers, ...headersOf(access) } }
  }

  async function admit(request: WebRequest, access: WebAccess): Promise<Answer> {
    return (await checkAccess(request, access)) ?? (await handle(request, access))
  }

  function handle(request: WebRequest, access: WebAccess): Answer | Promise<Answer> {
    const route = routes.get(request.path)
    if (route === undefined) return refuse(request, 404, 'Not found')
    const [method, allowed] = route.method === 'GET' ? ['GET or HEAD', ['GET', 'HEAD']] : ['POST', ['POST']]
    if (!allowed.includes(request.method)) {
      return refuse(request, 405, `Method not allowed: use ${method}`, { Allow: allowed.join(', ') })
    }
    const unknown = Object.keys(request.query).find((name) => route.takes?.includes(name) === false)
    if (unknown !== undefined) return refuse(request, 400, unknownParameter(unknown, route))
    // Otherwise one of two values would be ignored.
    if (route.takes !== undefined && request.repeated !== null) {
      return refuse(request, 400, `Parameter ${request.repeated} is given more than once: give it once`)
    }
    if (route.heavy !== true) return route.handle(request, access)
    const isGone = () => request.socket?.destroyed === true
    const answer = lane.answer(async () => (isGone() ? gone : route.handle(request, access)), isGone)
    return (
      answer ?? refuse(request, 503, 'Too many requests of this kind are pending: retry later', { 'Retry-After': '5' })
    )
  }
}

function unknownParameter(name: string, { path, takes = [] }: Route): string {
  return `Unknown parameter ${name}: ${takes.length === 0 ? `${path} takes none` : `use ${takes.join(', ')}`}`
}

/** Placeholder answer for a client that has disconnected; never sent. */
const gone = text(503, '')

/** Most concurrent scrapes without pauses between renderings. */
const maxUnpacedScrapes = 8

/** If many share a rendering, the next one waits as long as the last one took: half of the event loop stays free. */
function pacedScrapes({ sources, clock }: WebOptions): WebOptions['sources']['metrics'] {
  let [free, sharing] = [Promise.resolve(), 0]
  return async (accept) => {
    await free
    const began = clock.monotonic()
    sharing++
    try {
      return await sources.metrics(accept)
    } finally {
      if (sharing >= maxUnpacedScrapes) free = clock.sleep(clock.monotonic() - began)
      sharing--
    }
  }
}

export function createRoutes(options: WebOptions): readonly Route[] {
  const { sources, clock, version } = options
  const scrape = pacedScrapes(options)
  const get = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, handle })
  const heavy = (path: string, takes: readonly string[], handle: Route['handle']): Route => ({
    ...get(path, handle),
    heavy: true,
    takes,
  })
  return [
    heavy('/', pageParameters, (request, access) => page(request, access, options)),
    { ...get('/runbook', runbook), takes: ['name'] },
    get('/page.js', () => ofType('text/javascript; charset=utf-8', pageScript)),
    get('/style.css', () => ofType('text/css; charset=utf-8', stylesheet)),
    get('/favicon.svg', () => ofType('image/svg+xml', favicon)),
    get('/metrics', async ({ header }) => {
      const { contentType, body } = await scrape(header('accept'))
      const length = body.reduce((sum, piece) => sum + piece.byteLength, 0)
      // Copies the list, because concurrent scrapes share one exposition.
      return ofType(contentType, [...body], { 'Content-Length': String(length), Vary: 'Accept' })
    }),
    get('/healthz', async () => probe(await sources.health())),
    get('/readyz', async () => probe(await sources.ready())),
    heavy('/api/v1/status', [], async () => json(statusJson(version, clock.now(), await sources.posture()))),
    heavy('/api/v1/checks', [], async (_, { exposeDetails }) =>
      json(checksJson(shownPostures(await sources.posture(), exposeDetails))),
    ),
    heavy('/api/v1/findings', findingParameters, (request, access) => streamFindings(request, options, access)),
    heavy('/api/v1/findings.csv', filterParameters, (request, access) =>
      streamFindings(request, options, access, 'csv'),
    ),
    get('/api/v1/openapi.json', async () => json(openApiDocument(version))),
    { ...get('/calendar.ics', (_, access) => subscription(access, options)), heavy: true },
    { method: 'POST', path: '/-/reload', handle: (request, access) => reload(request, access, options) },
  ]
}

async function page(request: WebRequest, { exposeDetails }: WebAccess, options: WebOptions): Promise<Answer> {
  const parsed = parsePageQuery(request.query)
  if (!parsed.ok) return lost(400, parsed.message)
  const unknown = unknownName(parsed.query, options.sources.names())
  if (unknown !== null) return lost(unknown.status, unknown.message)
  const data = await loadPage(options, exposeDetails, parsed.query)
  return ofType('text/html; charset=UTF-8', renderPage(data))
}

async function runbook(request: WebRequest, { tls }: WebAccess): Promise<Answer> {
  const [host = ''] = request.hosts
  const origin = host === '' ? undefined : `${tls === null ? 'http' : 'https'}://${host}`
  const found = await runbookPage(request.query['name'] ?? '', origin)
  if (found === null) return refuse(request, 404, 'No runbook of this name is installed')
  return ofType('text/html; charset=UTF-8', found)
}

function lost(status: number, message: string): Answer {
  return { ...ofType('text/html; charset=UTF-8', lostPage(message)), status }
}

async function subscription({ exposeDetails }: WebAccess, { sources, clock }: WebOptions): Promise<Answer> {
  const body = calendar({ expiries: await sources.expiries(), now: clock.now(), exposeDetails })
  return ofType('text/calendar; charset=utf-8', body, {
    'Content-Disposition': 'inline; filename="tenantwatch.ics"',
  })
}

function probe({ ok, text: said }: Probe): Answer {
  return text(ok ? 200 : 503, `${said}\n`)
}

async function reload(
  request: WebRequest,
  { isProtected }: WebAccess,
  { listen, sources }: WebOptions,
): Promise<Answer> {
  if (!isProtected && !isLoopback(listen.host)) {
    return refuse(
      request,
      403,
      'Reload is refused from every client unless server.listen is a loopback address or users or certificates are required (server.webConfig): send SIGHUP instead',
    )
  }
  if (isCrossSite(request))
    return refuse(
      request,
      403,
      'Cross-site reload is refused: send the request from this site or without an Origin header',
    )
  const { ok, text: said } = await sources.reload()
  return text(ok ? 200 : 500, `${said}\n`)
}
