import type { Server, ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { TlsSettings } from '../config/web/web-settings.ts'
import { asksForCertificate } from './auth/client-certificate.ts'

/** What an HTTPS server begins with. Certificates of clients are evaluated at each request, not in the handshake. */
export function secureOptions(tls: TlsSettings): ServerOptions {
  return { ...contextOf(tls), requestCert: asksForCertificate(tls), rejectUnauthorized: false }
}

/** Has every new handshake take the TLS settings of that moment, and lets older connections end. */
export function followSettings(server: Server, first: TlsSettings, settingsNow: () => TlsSettings | null): Server {
  let inForce = first
  const under = new WeakMap<Socket, TlsSettings>()
  // Before Node's own listener, which takes the context that it finds.
  server.prependListener('connection', () => {
    const now = settingsNow()
    if (now === null || now === inForce) return
    inForce = now
    server.setSecureContext(contextOf(now))
    // Node has no method for this one; without it no client would show a certificate, and all would be refused.
    Object.assign(server, { requestCert: asksForCertificate(now) })
    server.closeIdleConnections()
  })
  server.on('secureConnection', (socket) => under.set(socket, inForce))
  server.prependListener('request', ({ socket }, response) => {
    if (under.get(socket) !== settingsNow()) response.setHeader('Connection', 'close')
  })
  return server
}

function contextOf(tls: TlsSettings): SecureContextOptions {
  const { cert, key, clientCa, minVersion, maxVersion, ciphers, curves, honorCipherOrder } = tls
  return {
    cert,
    key,
    minVersion,
    maxVersion,
    honorCipherOrder,
    ...(clientCa !== null && { ca: clientCa }),
    ...(ciphers !== null && { ciphers }),
    ...(curves !== null && { ecdhCurve: curves }),
  }
}
