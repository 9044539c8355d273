import type { Server, ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { TlsSettings } from '../config/web/web-settings.ts'
import { asksForCertificate } from './auth/client-certificate.ts'

/** Options of an HTTPS server. Client certificates are checked at each request, not in the handshake. */
export function secureOptions(tls: TlsSettings): ServerOptions {
  return { ...contextOf(tls), requestCert: asksForCertificate(tls), rejectUnauthorized: false }
}

/** Applies the current TLS settings to each new handshake and closes connections made under older ones. */
export function followSettings(server: Server, first: TlsSettings, settingsNow: () => TlsSettings | null): Server {
  let inForce = first
  const under = new WeakMap<Socket, TlsSettings>()
  // Before Node's own listener, which uses the context set at that time.
  server.prependListener('connection', () => {
    const now = settingsNow()
    if (now === null || now === inForce) return
    inForce = now
    server.setSecureContext(contextOf(now))
    // Node has no setter for `requestCert`; without it clients send no certificate and all are refused.
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
