import { TLSSocket } from 'node:tls'
import type { Answer, WebRequest } from './answer.ts'
import { hasCertificate } from './auth/client-certificate.ts'
import { isAllowedHost } from './loopback.ts'
import { refuse } from './refuse.ts'
import type { WebAccess } from './web-options.ts'

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
/** Paths for probes and scrapers, which may use any host name for this machine; their answers contain no tenant records. */
export const anyHostPaths: ReadonlySet<string> = new Set([...openPaths, '/metrics'])

/**
 * Decides whether a request is served: by its Host header, then its client certificate, then its user name and password.
 *
 * @returns the refusal; null when access is granted.
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
    return refuse(
      request,
      403,
      'Client certificate required: present one that client_ca_file and client_allowed_sans accept',
    )
  }
  const authResult = authenticate === null ? 'granted' : await authenticate(request.header('authorization'))
  if (authResult === 'denied') {
    return refuse(request, 401, 'Authentication required', { 'WWW-Authenticate': 'Basic realm="tenantwatch"' })
  }
  if (authResult === 'busy')
    return refuse(request, 503, 'Too many password checks are pending: retry later', { 'Retry-After': '5' })
  return null
}

/** True when a browser sent the request from a page of another site, which it marks by Sec-Fetch-Site or Origin. */
export function isCrossSite({ header }: WebRequest): boolean {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = header('origin')
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== header('host')
}
