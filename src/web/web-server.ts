import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecureContextOptions } from 'node:tls'
import { getRequestListener } from '@hono/node-server'
import { formatListen } from '../config/values.ts'
import type { TlsSettings } from '../config/web-settings.ts'
import { FatalError } from '../model/errors.ts'
import { whyNotListening } from '../model/process/address.ts'
import { createApp } from './app.ts'
import type { WebOptions } from './web-options.ts'

/** Node's limits against slow clients, in milliseconds and bytes; its defaults are minutes or unlimited. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
} as const
const handshakeTimeout = 10_000
/** Also for a client that does not read its answer. */
const socketIdleMs = 30_000
const maxConnections = 256

export type WebServer = ReturnType<typeof createWebServer>

export function createWebServer(options: WebOptions) {
  const { access, listen } = options
  const { tls } = access()
  const handler = { hostname: 'localhost', overrideGlobalObjects: false }
  const listener = getRequestListener(createApp(options).fetch, handler)
  const server = tls === null ? createServer(limits, listener) : secureServer(tls, listener, () => access().tls)
  server.maxConnections = maxConnections
  server.setTimeout(socketIdleMs)
  return {
    /** Listens; returns the actual address and port, and that of the page. Throws FatalError when they cannot be used. */
    async start() {
      const address = await listenOn(server, listen)
      return { ...address, url: `${tls === null ? 'http' : 'https'}://${formatListen(address)}/` }
    },
    /** Accepts no more connections, lets requests in flight finish for at most `drainMs`, then destroys them. */
    dispose: (drainMs: number) => close(server, drainMs),
  }
}

/** `::` takes IPv4, too; where the machine has no IPv6, IPv4 alone. */
async function listenOn(server: Server, { host, port }: WebOptions['listen']): Promise<WebOptions['listen']> {
  try {
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'))
    await once(server, 'listening')
  } catch (error) {
    const cause = error as NodeJS.ErrnoException
    if (host === '::' && ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes(cause.code ?? ''))
      return listenOn(server, { host: '0.0.0.0', port })
    const advice = 'change server.listen (TENANTWATCH_LISTEN)'
    throw new FatalError(`Cannot listen on ${host}:${port}: ${whyNotListening(cause)}; ${advice}`, { cause })
  }
  const address = server.address()
  return typeof address === 'object' && address !== null
    ? { host: address.address, port: address.port }
    : { host, port }
}

/** Does not wait for connections in the TLS handshake, which Node does not close. */
async function close(server: Server, drainMs: number): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  await Promise.race([closed, sleep(drainMs, undefined, { ref: false })])
  server.closeAllConnections()
}

/** Applies settings that a reload changed to each new handshake. Client certificates are checked at each request. */
function secureServer(
  first: TlsSettings,
  listener: RequestListener,
  settingsNow: () => TlsSettings | null,
): SecureServer {
  const options = { ...limits, handshakeTimeout, ...contextOf(first), rejectUnauthorized: false }
  const server = createSecureServer({ ...options, requestCert: first.clientCa !== null }, listener)
  let inForce = first
  // Registered before Node's own listener, which uses the context of that moment.
  server.prependListener('connection', () => {
    const now = settingsNow()
    if (now === null || now === inForce) return
    inForce = now
    server.setSecureContext(contextOf(now))
    // Node has no setter for `requestCert`; without it clients send no certificate and all are refused.
    Object.assign(server, { requestCert: now.clientCa !== null })
    server.closeIdleConnections()
  })
  return server
}

function contextOf(tls: TlsSettings): SecureContextOptions {
  const { cert, key, clientCa, minVersion } = tls
  return { cert, key, minVersion, honorCipherOrder: true, ...(clientCa !== null && { ca: clientCa }) }
}
