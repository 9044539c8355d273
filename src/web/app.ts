import { type Context, Hono } from 'hono'
import { calendar } from './calendar.ts'
import { gate, isCrossSite, type WebEnv } from './gate.ts'
import { isLoopback } from './loopback.ts'
import { favicon } from './page/favicon.ts'
import { loadPage } from './page/load-page.ts'
import { renderPage } from './page/page.ts'
import { parsePageQuery } from './page/page-query.ts'
import { pageScript } from './page/page-script.ts'
import { stylesheet } from './page/stylesheet.ts'
import { refuse } from './refuse.ts'
import { headersOf } from './security-headers.ts'
import { shownPostures } from './shown-postures.ts'
import { checksJson, statusJson } from './status-json.ts'
import { streamFindings } from './stream-findings.ts'
import { streamOf } from './stream-of.ts'
import type { Probe, WebAccess, WebOptions } from './web-options.ts'

/** All routes (contract: HTTP and metrics) as one fetch function. Nothing that answers GET changes anything. */
export function createApp(options: WebOptions): (request: Request, env?: object) => Promise<Response> {
  const app = createRoutes(options)
  return async (request, env) => {
    const response = await app.fetch(request, env)
    if (!response.headers.has('x-hono-already-sent')) {
      for (const [name, value] of Object.entries(headersOf(options.access()))) response.headers.set(name, value)
    }
    return response
  }
}

/** The routes themselves; each is described in openapi/operations.ts. */
export function createRoutes(options: WebOptions): Hono<WebEnv> {
  const { sources, now, version, log } = options
  const app = new Hono<WebEnv>()
  app.use(gate(options))
  const serve = (path: string, handler: (context: WebContext, access: WebAccess) => Response | Promise<Response>) => {
    app.get(path, (context) => handler(context, context.get('access')))
    app.all(path, (context) => refuse(context, 405, 'Method not allowed: use GET or HEAD', { Allow: 'GET, HEAD' }))
  }
  serve('/', async (context, { exposeDetails }) => {
    const parsed = parsePageQuery(context.req.query())
    if (!parsed.ok) return refuse(context, 400, parsed.message)
    const data = await loadPage(options, exposeDetails, parsed.query)
    if (parsed.query.tenant !== null && data.postures.length === 0) {
      return refuse(context, 404, 'No tenant of this name is configured')
    }
    return context.html(await renderPage(data))
  })
  serve('/page.js', (context) => context.body(pageScript, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }))
  serve('/style.css', (context) => context.body(stylesheet, 200, { 'Content-Type': 'text/css; charset=utf-8' }))
  serve('/favicon.svg', (context) => context.body(favicon, 200, { 'Content-Type': 'image/svg+xml' }))
  serve('/metrics', async (context) => {
    const { contentType, body } = await sources.metrics(context.req.header('accept'))
    const length = body.reduce((sum, piece) => sum + piece.byteLength, 0)
    const headers = { 'Content-Type': contentType, 'Content-Length': String(length), Vary: 'Accept' }
    return context.body(streamOf(body), 200, headers)
  })
  serve('/healthz', async (context) => probe(context, await sources.health()))
  serve('/readyz', async (context) => probe(context, await sources.ready()))
  serve('/api/v1/status', async (context) => context.json(statusJson(version, now(), await sources.posture())))
  serve('/api/v1/checks', async (context, { exposeDetails }) =>
    context.json(checksJson(shownPostures(await sources.posture(), exposeDetails))),
  )
  serve('/api/v1/findings', (context, access) => streamFindings(context, options, access))
  serve('/api/v1/openapi.json', async (context) => {
    // Only who asks for the document loads what it is made of.
    const { openApiDocument } = await import('./openapi/document.ts')
    return context.json(openApiDocument(version))
  })
  serve('/calendar.ics', async (context, { exposeDetails }) => {
    const body = await calendar({ deadlines: await sources.deadlines(), now: now(), exposeDetails })
    return context.body(body, 200, {
      'Content-Type': 'text/calendar; charset=utf-8',
      'Content-Disposition': 'inline; filename="tenantwatch.ics"',
    })
  })
  app.post('/-/reload', (context) => reload(context, options))
  app.all('/-/reload', (context) => refuse(context, 405, 'Method not allowed: use POST', { Allow: 'POST' }))
  app.notFound((context) => refuse(context, 404, 'Not found'))
  app.onError((error, context) => {
    log.error({ err: error, path: context.req.path }, 'Web request failed')
    return refuse(context, 500, 'Internal error: see the log')
  })
  return app
}

type WebContext = Context<WebEnv>

function probe(context: Context, { ok, text }: Probe): Response {
  return context.text(`${text}\n`, ok ? 200 : 503)
}

async function reload(context: WebContext, { listen, sources }: WebOptions): Promise<Response> {
  if (!context.get('access').isProtected && !isLoopback(listen.host)) {
    return refuse(context, 403, 'Reload is served on loopback or behind authentication only')
  }
  if (isCrossSite(context)) return refuse(context, 403, 'Reload is not open to other sites')
  const { ok, text } = await sources.reload()
  return context.text(`${text}\n`, ok ? 200 : 500)
}
