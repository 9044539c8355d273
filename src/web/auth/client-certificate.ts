import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { TlsSettings } from '../../config/web/web-settings.ts'

/** True when clients are asked for a certificate in the handshake. */
export function asksForCertificate({ clientAuth }: TlsSettings): boolean {
  return clientAuth !== 'NoClientCert'
}

/**
 * Whether a client showed what it must. This is asked of each request and not of the handshake, so that probes, which
 * need nothing, get their answer.
 */
export function hasCertificate({ clientAuth, allowedSans }: TlsSettings, socket: TLSSocket): boolean {
  if (clientAuth === 'NoClientCert' || clientAuth === 'RequestClientCert') return true
  // The certificate itself first: a resumed session must not count as authorised without one.
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return clientAuth === 'VerifyClientCertIfGiven'
  if (clientAuth !== 'RequireAnyClientCert' && !socket.authorized) return false
  return allowedSans.length === 0 || allowedSans.some((name) => carries(certificate, name))
}

/** True when a certificate has this very name, address or URI as a subject alternative name; wildcards match nothing. */
function carries(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined
  const entries = (certificate.subjectAltName ?? '').matchAll(/(?:^|, )(DNS|email|URI):("(?:[^"\\]|\\.)*"|[^,]*)/g)
  return [...entries].some(([, , value = '']) => (value.startsWith('"') ? JSON.parse(value) : value) === name)
}
