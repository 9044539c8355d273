import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { formatListen } from '../config/listen.ts'
import type { TlsSettings } from '../config/web/web-settings.ts'
import { FatalError } from '../model/errors.ts'
import { whyNotListening } from '../model/process/listen-error.ts'
import { securityHeaders } from './answer.ts'
import { createApp } from './app.ts'
import { type Connections, limitConnections } from './connection-limit.ts'
import { heavyLane } from './heavy-lane.ts'
import { requestListener } from './request-listener.ts'
import { slowReaders } from './slow-readers.ts'
import type { WebOptions } from './web-options.ts'

/** Limits against slow clients, in milliseconds and bytes; Node's defaults are minutes or unlimited. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
  // The routes refuse requests without a Host header, so that the refusal has the security headers.
  requireHostHeader: false,
} as const
const handshakeTimeout = 10_000
/** Well below the connection limits, so that light requests are served beside heavy ones. */
const maxHeavy = 24
const maxConnections = { inAll: 128, ofPeer: 64 } as const
const answerTimeoutMs = 30_000
const socketIdleMs = 30_000

const statusLines: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

const headerLines = Object.entries({ ...securityHeaders, 'Content-Length': 0 })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

export interface WebServer {
  /** Listens; returns the actual address and port, and that of the page. Throws FatalError when they cannot be used. */
  start(): Promise<{ readonly host: string; readonly port: number; readonly url: string }>
  /** Accepts no more connections, lets requests in flight finish for at most `drainMs`, then destroys them. */
  dispose(drainMs: number): Promise<void>
}

export function createWebServer(options: WebOptions): WebServer {
  const { access, clock, listen, log } = options
  const { tls } = access()
  const readers = slowReaders()
  const lane = heavyLane({ clock, most: maxHeavy, makeRoom: readers.cutLongest })
  const listener = requestListener(createApp(options, lane), log, readers)
  const server =
    tls === null
      ? createServer(limits, listener)
      : followSettings(
          createSecureServer({ ...limits, handshakeTimeout, ...secureOptions(tls) }, listener),
          tls,
          () => access().tls,
        )
  const connections = limitConnections(server, {
    ...maxConnections,
    busyTimeoutMs: answerTimeoutMs,
    awaited: readers.awaited,
  })
  server.setTimeout(socketIdleMs)
  const lastAnswers = new WeakMap<Duplex, ServerResponse>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Log only the code: the error contains the received bytes, which may contain credentials.
    log.debug({ code: error.code }, 'Web request could not be read')
    const status = (error.code === undefined ? undefined : statusLines[error.code]) ?? '400 Bad Request'
    // Do not write the refusal into an answer in progress.
    const isFree = lastAnswers.get(socket)?.writableFinished ?? true
    if (isFree && socket.writable) socket.end(`HTTP/1.1 ${status}\r\n${headerLines}Connection: close\r\n\r\n`)
    else socket.destroy()
  })
  // Registered before the routes, so that Node's own answers have the headers, too.
  server.prependListener('request', ({ socket }, response) => {
    lastAnswers.set(socket, response)
    response.setHeaders(new Map(Object.entries(securityHeaders)))
  })
  server.on('checkExpectation', (_, response) => {
    response.writeHead(417, { ...securityHeaders, 'Content-Length': 0, Connection: 'close' }).end()
  })
  return {
    async start() {
      const address = await listenOn(server, listen)
      return { ...address, url: `${tls === null ? 'http' : 'https'}://${formatListen(address)}/` }
    },
    dispose: (drainMs) => close(server, connections, drainMs),
  }
}

function listenOn(server: Server, { host, port }: WebOptions['listen']): Promise<{ host: string; port: number }> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const advice = 'change server.listen (TENANTWATCH_LISTEN)'
      reject(new FatalError(`Cannot listen on ${host}:${port}: ${whyNotListening(cause)}; ${advice}`, { cause }))
    }
    server.once('error', refuse)
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'), () => {
      server.removeListener('error', refuse)
      const address = server.address()
      resolve(
        typeof address === 'object' && address !== null
          ? { host: address.address, port: address.port }
          : { host, port },
      )
    })
  })
}

function close(server: Server, connections: Connections, drainMs: number): Promise<void> {
  if (!server.listening) return Promise.resolve()
  return new Promise((resolve) => {
    const cut = setTimeout(() => connections.cut(), Math.max(0, drainMs))
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** Options of an HTTPS server. Client certificates are checked at each request, not in the handshake. */
function secureOptions(tls: TlsSettings): ServerOptions {
  return { ...contextOf(tls), requestCert: asksForCertificate(tls), rejectUnauthorized: false }
}

/** Applies the current TLS settings to each new handshake and closes connections made under older ones. */
function followSettings(server: SecureServer, first: TlsSettings, settingsNow: () => TlsSettings | null): SecureServer {
  let inForce = first
  const under = new WeakMap<Socket, TlsSettings>()
  // Registered before Node's own listener, which uses the context of that moment.
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
  const { cert, key, clientCa, minVersion } = tls
  return { cert, key, minVersion, honorCipherOrder: true, ...(clientCa !== null && { ca: clientCa }) }
}

function asksForCertificate({ clientAuth }: TlsSettings): boolean {
  return clientAuth !== 'NoClientCert'
}
