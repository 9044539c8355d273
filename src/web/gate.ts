import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Context, MiddlewareHandler } from 'hono'
import { hasCertificate } from './auth/client-certificate.ts'
import { isLoopback, namesLoopback } from './loopback.ts'
import { refuse } from './refuse.ts'
import type { WebAccess, WebOptions } from './web-options.ts'

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** What every handler finds in its context: one answer is given under one set of rules. */
export interface WebEnv {
  readonly Variables: { readonly access: WebAccess }
  readonly Bindings: { readonly incoming?: IncomingMessage }
}

/** Decides who gets in at all: by the Host header on loopback, then by certificate, then by name and password. */
export function gate({ listen, access: accessNow }: WebOptions): MiddlewareHandler<WebEnv> {
  const guardHost = isLoopback(listen.host)
  return async (context, next) => {
    const access = accessNow()
    context.set('access', access)
    if (guardHost && !isForLoopback(context)) return refuse(context, 421, 'Unknown host')
    if (openPaths.has(context.req.path)) return await next()
    const { tls, authenticate } = access
    const socket = context.env?.incoming?.socket
    if (tls !== null && !(socket instanceof TLSSocket && hasCertificate(tls, socket))) {
      return refuse(context, 403, 'A client certificate that is trusted here is required')
    }
    const verdict = authenticate === null ? 'granted' : await authenticate(context.req.header('authorization'))
    if (verdict === 'denied') {
      return refuse(context, 401, 'Authentication required', { 'WWW-Authenticate': 'Basic realm="tenantwatch"' })
    }
    if (verdict === 'busy') return refuse(context, 503, 'Too many passwords wait', { 'Retry-After': '5' })
    return await next()
  }
}

/** By the Host header and, where a request names its whole URL as it would to a proxy, by that too (RFC 9112, 3.2.2). */
function isForLoopback({ req }: Context): boolean {
  return namesLoopback(req.header('host')) && namesLoopback(new URL(req.url).host)
}

/** True when a request that changes something comes from a page of another site, which a browser always marks. */
export function isCrossSite(context: Context): boolean {
  const site = context.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = context.req.header('origin')
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== context.req.header('host')
}
