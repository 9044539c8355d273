import { TLSSocket } from 'node:tls'
import type { Answer, Asked } from './answer.ts'
import { hasCertificate } from './auth/client-certificate.ts'
import { isLoopback, namesLoopback } from './loopback.ts'
import { refuse } from './refuse.ts'
import type { WebAccess, WebOptions } from './web-options.ts'

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/**
 * Decides who gets in at all: by the Host header on loopback, then by certificate, then by name and password.
 *
 * @returns the refusal; null lets in.
 */
export async function gate(
  asked: Asked,
  { tls, authenticate }: WebAccess,
  options: WebOptions,
): Promise<Answer | null> {
  if (isLoopback(options.listen.host) && !isForLoopback(asked)) return refuse(asked, 421, 'Unknown host')
  if (openPaths.has(asked.path)) return null
  const { socket } = asked
  if (tls !== null && !(socket instanceof TLSSocket && hasCertificate(tls, socket))) {
    return refuse(asked, 403, 'A client certificate that is trusted here is required')
  }
  const verdict = authenticate === null ? 'granted' : await authenticate(asked.header('authorization'))
  if (verdict === 'denied') {
    return refuse(asked, 401, 'Authentication required', { 'WWW-Authenticate': 'Basic realm="tenantwatch"' })
  }
  if (verdict === 'busy') return refuse(asked, 503, 'Too many passwords wait', { 'Retry-After': '5' })
  return null
}

/** By the Host header and, where a request names its whole URL as it would to a proxy, by that too (RFC 9112, 3.2.2). */
function isForLoopback({ header, host }: Asked): boolean {
  return namesLoopback(header('host')) && namesLoopback(host)
}

/** True when a request that changes something comes from a page of another site, which a browser always marks. */
export function isCrossSite({ header }: Asked): boolean {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = header('origin')
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== header('host')
}
