import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { TlsSettings } from '../../config/web/web-settings.ts'

/** True when the handshake requests a client certificate. */
export function asksForCertificate({ clientAuth }: TlsSettings): boolean {
  return clientAuth !== 'NoClientCert'
}

/**
 * Whether the client's certificate meets the settings. Checked at each request and not in the handshake, so that probes
 * work without a certificate.
 */
export function hasCertificate({ clientAuth, allowedSans }: TlsSettings, socket: TLSSocket): boolean {
  if (clientAuth === 'NoClientCert' || clientAuth === 'RequestClientCert') return true
  // Checked before `authorized`: a resumed session without a certificate must not count as authorised.
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
