import type { X509Certificate } from 'node:crypto'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Settings } from '../config/settings.ts'
import type { TlsSettings } from '../config/web/web-settings.ts'
import { isLoopback } from '../model/process/loopback.ts'
import { type Answer, refuse, type WebRequest } from './answer.ts'
import type { WebAccess } from './web-options.ts'

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
/** Paths for probes and scrapers, which may use any host name for this machine; their answers contain no tenant records. */
export const anyHostPaths: ReadonlySet<string> = new Set([...openPaths, '/metrics'])

/** Checks Host header, client certificate, then user name and password; null = access is granted. */
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

/** True if a browser sent the request from another site's page, according to Sec-Fetch-Site or Origin. */
export function isCrossSite({ header }: WebRequest): boolean {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = header('origin')
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== header('host')
}

/** Checked at each request, not in the handshake, so that probes work without a certificate. */
function hasCertificate({ clientAuth, allowedSans }: TlsSettings, socket: TLSSocket): boolean {
  if (clientAuth === 'NoClientCert' || clientAuth === 'RequestClientCert') return true
  // Checked before `authorized`: a resumed session without a certificate must not count as authorized.
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return clientAuth === 'VerifyClientCertIfGiven'
  if (clientAuth !== 'RequireAnyClientCert' && !socket.authorized) return false
  return allowedSans.length === 0 || allowedSans.some((name) => hasSan(certificate, name))
}

/** True when a certificate has exactly this subject alternative name; wildcards do not match. */
function hasSan(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined
  const entries = (certificate.subjectAltName ?? '').matchAll(/(?:^|, )(DNS|email|URI):("(?:[^"\\]|\\.)*"|[^,]*)/g)
  return [...entries].some(([, , value = '']) => (value.startsWith('"') ? JSON.parse(value) : value) === name)
}

/** Refuses unknown names: another site can point its own name here (DNS rebinding). IP addresses are safe. */
function isAllowedHost(hostHeader: string, allowed: readonly string[]): boolean {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d{1,5})?$/.exec(hostHeader) ?? []
  if (bracketed !== undefined) return isIPv6(bracketed)
  const name = plain.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || isIPv4(name) || allowed.includes(name)
}

/**
 * True if details are served (docs/operations.md#security): behind authentication, or on loopback without allowed host
 * names, through which a proxy may serve others.
 */
export function exposesDetails(
  { exposeDetails: setting, host, allowedHosts }: Pick<Settings['server'], 'exposeDetails' | 'host' | 'allowedHosts'>,
  authenticated: boolean,
): boolean {
  return setting === 'auto' ? authenticated || (isLoopback(host) && allowedHosts.length === 0) : setting
}
