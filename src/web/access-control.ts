import { TLSSocket } from 'node:tls'
import type { Answer, WebRequest } from './answer.ts'
import { hasCertificate } from './auth/client-certificate.ts'
import { isAllowedHost } from './loopback.ts'
import { refuse } from './refuse.ts'
import type { WebAccess } from './web-options.ts'

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
/** Asked by probes and scrapers under whatever name they have for this machine; none of them shows names. */
export const anyHostPaths: ReadonlySet<string> = new Set([...openPaths, '/metrics'])

/**
 * Decides who gets in at all: by the Host header, then by certificate, then by name and password.
 *
 * @returns the refusal; null lets in.
 */
export async function checkAccess(
  request: WebRequest,
  { tls, authenticate, allowedHosts }: WebAccess,
): Promise<Answer | null> {
  if (!anyHostPaths.has(request.path) && !request.hosts.every((host) => isAllowedHost(host, allowedHosts))) {
    return refuse(request, 421, 'Unknown host: use an IP address or localhost, or add the name to server.allowedHosts')
  }
  if (openPaths.has(request.path)) return null
  const { socket } = request
  if (tls !== null && !(socket instanceof TLSSocket && hasCertificate(tls, socket))) {
    return refuse(request, 403, 'A client certificate that is trusted here is required')
  }
  const checkResult = authenticate === null ? 'granted' : await authenticate(request.header('authorization'))
  if (checkResult === 'denied') {
    return refuse(request, 401, 'Authentication required', { 'WWW-Authenticate': 'Basic realm="tenantwatch"' })
  }
  if (checkResult === 'busy') return refuse(request, 503, 'Too many passwords wait', { 'Retry-After': '5' })
  return null
}

/** True when a request that changes something comes from a page of another site, which a browser always marks. */
export function isCrossSite({ header }: WebRequest): boolean {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = header('origin')
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== header('host')
}
