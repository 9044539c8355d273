import * as z from 'zod'
import { shownPostures } from '../model/posture-state.ts'
import { calendar } from './calendar.ts'
import { filterQuery, findingsQuery, findingsRoute, streamed } from './findings-route.ts'
import { openApiDocument } from './openapi.ts'
import { loadPage } from './page/load-page.ts'
import { lostPage, renderPage } from './page/page.ts'
import { pageQuery, withoutEmpty } from './page/page-query.ts'
import { pageScript } from './page/page-script.ts'
import { runbookPage } from './page/runbook.ts'
import { favicon, stylesheet } from './page/stylesheet.ts'
import { text, unknownName } from './query.ts'
import { type Route, refuse, type WebContext } from './route.ts'
import { checksJson, statusJson } from './status-json.ts'
import { mayAct, refusedAction, SyncForms, syncQuery, syncRoute } from './sync-route.ts'
import type { Probe, WebOptions } from './web-options.ts'

const none = z.object({})
const json = 'application/json'

/** Lets the compiler know the query of a route inside its `handle`. */
function get<Q extends z.ZodObject>(path: string, route: Omit<Route<Q>, 'method' | 'path'>): Route {
  return { method: 'GET', path, ...route } as Route
}

export function createRoutes(options: WebOptions): readonly Route[] {
  const forms = new SyncForms(options)
  return [...pageRoutes(options, forms), ...machineRoutes(options, forms), ...apiRoutes(options)]
}

function pageRoutes(options: WebOptions, forms: SyncForms): readonly Route[] {
  const { sources } = options
  return [
    get('/', {
      id: 'getStatusPage',
      summary: 'The status page',
      query: pageQuery,
      body: { type: 'text/html', description: 'A page that works without scripts' },
      refuse: (c, message) => c.html(lostPage(message), 400),
      async handle(c, asked) {
        const query = withoutEmpty(asked)
        const unknown = unknownName(query, sources.names())
        if (unknown !== null) return c.html(lostPage(unknown.message), unknown.status)
        const sync = mayAct(c, options.listen.host) ? forms.of(c) : null
        const data = await loadPage(options, c.get('access').exposeDetails, query, sync)
        c.header('Content-Type', 'text/html; charset=UTF-8')
        return streamed(c, renderPage(data), options)
      },
    }),
    get('/runbook', {
      id: 'getRunbook',
      summary: 'The runbook of an alert',
      query: z.object({ name: text('Name of the alert') }),
      body: { type: 'text/html', description: 'Meaning, impact, diagnosis and mitigation' },
      async handle(c, { name = '' }) {
        const found = await runbookPage(name, new URL(c.req.url).origin)
        return found === null ? refuse(c, 404, 'No runbook of this name is installed') : c.html(found)
      },
    }),
    asset('/page.js', 'getPageScript', 'text/javascript', pageScript, 'The script that refreshes the status page'),
    asset('/style.css', 'getStylesheet', 'text/css', stylesheet, 'The stylesheet of the status page'),
    asset('/favicon.svg', 'getIcon', 'image/svg+xml', favicon, 'The icon of the status page'),
  ]
}

function asset(path: string, id: string, type: string, content: string, summary: string): Route {
  return get(path, {
    id,
    summary,
    body: { type, description: summary },
    handle: (c) => c.body(content, 200, { 'Content-Type': `${type}; charset=utf-8` }),
  })
}

function machineRoutes(options: WebOptions, forms: SyncForms): readonly Route[] {
  const { sources, clock } = options
  return [
    get('/metrics', {
      id: 'getMetrics',
      summary: 'Metrics',
      body: { type: 'text/plain', description: 'Prometheus text format' },
      async handle(c) {
        const pieces = await sources.metrics()
        c.header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
        return streamed(c, pieces, options)
      },
    }),
    get('/healthz', {
      id: 'getHealth',
      summary: "Whether the engine's heartbeat is recent",
      body: { type: 'text/plain', description: 'One sentence' },
      handle: async (c) => outcome(c, await sources.health(), 503),
    }),
    get('/readyz', {
      id: 'getReadiness',
      summary: 'Whether the database is open, verified by this replica, and every enabled resource was tried once',
      body: { type: 'text/plain', description: 'One sentence' },
      handle: async (c) => outcome(c, await sources.ready(), 503),
    }),
    get('/calendar.ics', {
      id: 'getCalendar',
      summary: 'Secret expiries and waiver ends, as a calendar to subscribe to',
      body: { type: 'text/calendar', description: 'iCalendar (RFC 5545)' },
      async handle(c) {
        const body = calendar(await sources.expiries(), clock.now(), c.get('access').exposeDetails)
        c.header('Content-Disposition', 'inline; filename="tenantwatch.ics"')
        return c.body(body, 200, { 'Content-Type': 'text/calendar; charset=utf-8' })
      },
    }),
    {
      method: 'POST',
      path: '/-/reload',
      id: 'reload',
      summary: 'Reloads the configuration; only while server.listen is a loopback address, or behind authentication',
      body: { type: 'text/plain', description: 'The result in one sentence' },
      handle: async (c) => refusedAction(c, options.listen.host) ?? outcome(c, await sources.reload(), 500),
    },
    {
      method: 'POST',
      path: '/-/sync',
      id: 'sync',
      summary:
        'Syncs what is due, or what the query names, each resource at most once a minute, and answers when all has ended; only while server.listen is a loopback address, or behind authentication',
      query: syncQuery,
      body: { type: json, description: 'The runs' },
      handle: (c, asked) => syncRoute(c, asked as z.output<typeof syncQuery>, { ...options, forms }),
    },
  ]
}

function outcome(c: WebContext, { ok, text: said }: Probe, failure: 500 | 503): Response {
  return c.text(`${said}\n`, ok ? 200 : failure)
}

function apiRoutes(options: WebOptions): readonly Route[] {
  const { sources, clock } = options
  const shownTo = async (c: WebContext) => shownPostures(await sources.posture(), c.get('access').exposeDetails)
  return [
    get('/api/v1/status', {
      id: 'getStatus',
      summary: 'The current status of every configured tenant',
      query: none,
      body: { type: json, description: 'Tenants, their resources, holds and counts' },
      handle: async (c) => c.json(statusJson(clock.now(), await shownTo(c))),
    }),
    get('/api/v1/checks', {
      id: 'getChecks',
      summary: 'Every check of every tenant with its current status',
      query: none,
      body: { type: json, description: 'An array of checks' },
      handle: async (c) => c.json(checksJson(await shownTo(c))),
    }),
    get('/api/v1/findings', {
      id: 'getFindings',
      summary:
        'Findings in the order they were first opened, streamed (an aborted answer is incomplete), or with limit a part',
      query: findingsQuery,
      body: { type: json, description: 'An array of findings' },
      handle: (c, asked) => findingsRoute(c, asked, options),
    }),
    get('/api/v1/findings.csv', {
      id: 'getFindingsAsCsv',
      summary:
        'The same findings as CSV, with the columns of tenantwatch findings --format csv, with --details where they are shown',
      query: filterQuery,
      body: { type: 'text/csv', description: 'RFC 4180; cells that would start a formula are escaped' },
      handle: (c, asked) => findingsRoute(c, asked, options, 'csv'),
    }),
    get('/api/v1/openapi.json', {
      id: 'getOpenApi',
      summary: 'This document',
      body: { type: json, description: 'OpenAPI 3.1' },
      handle: (c) => c.json(openApiDocument(createRoutes(options))),
    }),
  ]
}
