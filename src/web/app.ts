import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { reasonOf } from '../model/errors.ts'
import { checkCertificate, checkHost, checkUser } from './access-control.ts'
import { parseQuery } from './query.ts'
import { refuse, type WebContext, type WebEnv } from './route.ts'
import { createRoutes } from './routes.ts'
import type { WebOptions } from './web-options.ts'

const securityHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  // With `no-referrer`, browsers send the forms of the page with `Origin: null`.
  referrerPolicy: 'same-origin',
  // Whether the host is served by HTTPS only is the operator's to say, in server.webConfig.
  strictTransportSecurity: false,
  xFrameOptions: 'DENY',
})

/** All routes behind the same checks; nothing is cached. */
export function createApp(options: WebOptions): Hono<WebEnv> {
  const app = new Hono<WebEnv>()
  app.onError((error, c) => answerOf(error, c, options))
  app.notFound((c) => refuse(c, 404, 'Not found'))
  app.use(async (c, next) => {
    c.set('access', options.access())
    c.header('Cache-Control', 'no-store')
    await next()
  })
  // By streams of zlib, which work outside the event loop.
  app.use(compress(), securityHeaders, checkHost, checkCertificate, checkUser())
  for (const route of createRoutes(options)) {
    app.on(route.method, route.path, async (c) => {
      const parsed = route.query === undefined ? {} : parseQuery(route.query, c.req)
      if (typeof parsed !== 'string') return route.handle(c, parsed)
      return route.refuse === undefined ? refuse(c, 400, parsed) : route.refuse(c, parsed)
    })
    const allowed = route.method === 'GET' ? ['GET', 'HEAD'] : ['POST']
    app.all(route.path, (c) => {
      c.header('Allow', allowed.join(', '))
      return refuse(c, 405, `Method not allowed: use ${allowed.join(' or ')}`)
    })
  }
  return app
}

function answerOf(error: unknown, c: WebContext, { log }: WebOptions): Response {
  const { path } = c.req
  if (error instanceof HTTPException) {
    c.header('WWW-Authenticate', error.res?.headers.get('WWW-Authenticate') ?? '')
    return refuse(c, error.status === 401 ? 401 : 400, 'Authentication required')
  }
  // Not a bug: the database is unreachable, or another replica has just taken the tenant.
  if (['aborted', 'store'].includes(reasonOf(error))) {
    log.warn({ detail: String(error), path }, 'Web request failed')
    c.header('Retry-After', '5')
    return refuse(c, 503, 'The database cannot be read now: see the log')
  }
  log.error({ err: error, path }, 'Web request failed')
  return refuse(c, 500, 'Internal error: see the log')
}
