import type { Context, MiddlewareHandler } from 'hono'
import { isLoopback, namesLoopback } from './loopback.ts'
import { refuse } from './refuse.ts'
import type { WebOptions } from './web-options.ts'

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Decides who gets in at all: by the Host header on loopback, then by authentication. */
export function gate({ listen, authenticate }: WebOptions): MiddlewareHandler {
  const guardHost = isLoopback(listen.host)
  return async (context, next) => {
    if (guardHost && !isForLoopback(context)) return refuse(context, 421, 'Unknown host')
    if (authenticate !== null && !openPaths.has(context.req.path)) {
      if (!(await authenticate(context.req.header('authorization')))) {
        return refuse(context, 401, 'Authentication required', { 'WWW-Authenticate': 'Basic realm="tenantwatch"' })
      }
    }
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
