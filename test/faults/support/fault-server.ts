import { Agent, request as ask } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type SecureContextOptions, type Server as TlsServer } from 'node:tls'

/** One request as it was on the wire. */
export interface Seen {
  readonly method: string
  /** Path with query. */
  readonly url: string
  /** Path alone. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
}

/** The right answer, as the simulator gave it. */
export interface Good {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface FaultContext {
  readonly request: Seen
  readonly socket: Socket
  /** Asks the simulator the same, or for another path; nothing of it reaches the client by itself. */
  good(url?: string): Promise<Good>
}

/** Answers one request in the wrong way, or not at all. */
export type Fault = (context: FaultContext) => void | Promise<void>

export interface FaultServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Every request that arrived, faulty or not. */
  readonly requests: Seen[]
  /** Connections accepted so far. */
  readonly connections: number
  /** Where right answers come from. */
  upstream: string
  /** The fault that meets a request; undefined lets it pass. */
  choose: (request: Seen) => Fault | undefined
  /** Takes a connection away before a byte of it is read; true when it did. */
  seize: ((socket: Socket) => boolean) | undefined
  /** Closes the port and every connection: what follows is refused. */
  down(): Promise<void>
  /** Listens again, on the same port. */
  up(): Promise<void>
  /** For HTTPS: the certificate shown from the next connection on. */
  useCertificate(context: SecureContextOptions): void
}

export interface FaultServerOptions {
  /** Absent: plain HTTP. */
  readonly tls?: SecureContextOptions
  /** Host in the URL; the socket itself listens on 127.0.0.1. */
  readonly host?: string
}

/** A server over bare sockets: it answers as the simulator does, except for the configured faults. */
export async function faultServer({ tls, host = '127.0.0.1' }: FaultServerOptions = {}): Promise<FaultServer> {
  const requests: Seen[] = []
  const sockets = new Set<Socket>()
  const agent = new Agent({ keepAlive: true })
  let connections = 0

  const serve = (socket: Socket) => {
    void readRequests(socket, (seen) => {
      requests.push(seen)
      const context: FaultContext = {
        request: seen,
        socket,
        good: (url = seen.url) => relay(`${result.upstream}${url}`, seen, agent),
      }
      return (result.choose(seen) ?? passOn)(context)
    })
  }
  const keep = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return result.seize?.(socket) === true
  }
  const secure = tls === undefined ? undefined : createTlsServer(tls, serve).on('tlsClientError', () => {})
  const server: Server = createServer((socket) => {
    if (keep(socket)) return
    if (secure === undefined) serve(socket)
    else secure.emit('connection', socket)
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const result: FaultServer = {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    port,
    requests,
    get connections() {
      return connections
    },
    upstream: '',
    choose: () => undefined,
    seize: undefined,
    down: close,
    up: () => listen(port),
    useCertificate: (context) => (secure as TlsServer).setSecureContext(context),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      if (server.listening) await close()
    },
  }
  return result
}

/** Reads requests without a body off a connection, one after the other, for as long as it lives. */
async function readRequests(socket: Socket, answer: (seen: Seen) => void | Promise<void>): Promise<void> {
  let text = ''
  try {
    for await (const chunk of socket) {
      text += (chunk as Buffer).toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end)
        text = text.slice(end + 4)
        await answer(parse(head))
      }
    }
  } catch {
    socket.destroy()
  }
}

function parse(head: string): Seen {
  const [first = '', ...lines] = head.split('\r\n')
  const [method = '', url = ''] = first.split(' ')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const { pathname, searchParams } = new URL(url, 'http://x')
  return { method, url, path: pathname, query: searchParams, headers }
}

function relay(url: string, { method, headers }: Seen, agent: Agent): Promise<Good> {
  return new Promise((resolve, reject) => {
    const { host, connection, ...kept } = headers
    const outgoing = ask(url, { method, headers: kept, agent }, (response) => {
      const chunks: Buffer[] = []
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const { statusCode: status = 0, headers: raw } = response
          const own = Object.entries(raw).filter(([name]) => !hopByHop.has(name))
          const plain = Object.fromEntries(own.map(([name, value]) => [name, String(value)]))
          resolve({ status, headers: plain, body: Buffer.concat(chunks) })
        })
        .on('error', reject)
    })
    outgoing.on('error', reject).end()
  })
}

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

/** The head of an answer, its blank line included. */
export function head(status: number, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} Faulty`, ...lines, '', ''].join('\r\n')
}

/** Sends a whole, well-framed answer. */
export function send(socket: Socket, { status, headers, body }: Good): void {
  if (socket.destroyed) return
  socket.write(Buffer.concat([Buffer.from(head(status, { ...headers, 'content-length': body.length })), body]))
}

const passOn: Fault = async ({ socket, good }) => send(socket, await good())
