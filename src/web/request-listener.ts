import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Log } from '../model/log.ts'
import type { Answer, WebRequest } from './answer.ts'
import type { App } from './app.ts'
import { boundedQueue, type Queue } from './queue.ts'
import type { SlowReaders } from './slow-readers.ts'

/** Time in milliseconds for the rest of a request body, which is ignored, to arrive after the answer. */
const restMs = 500

/** Most unanswered requests of one connection; a client that pipelines more is disconnected. */
const maxAhead = 128

/** Bytes written to the socket at a time; the next slice follows once the client has read it. */
const sliceBytes = 65_536

/**
 * Serves the routes. A failure in the middle of a body destroys the connection, so that a client does not accept a part
 * as complete. Answers of one connection are made one after the other, each when the client has read the previous one:
 * a client that pipelines thousands of requests and reads nothing would otherwise fill the memory.
 */
export function requestListener(app: App, log: Log, readers: SlowReaders): RequestListener {
  const queues = new WeakMap<Socket, Queue>()
  return (incoming, outgoing) => {
    const { socket } = incoming
    const inTurn = queues.get(socket) ?? boundedQueue(maxAhead)
    queues.set(socket, inTurn)
    outgoing.once('finish', () => cutLater(incoming))
    const answered = inTurn(async () => {
      await answer(app, incoming, outgoing, readers)
      // Otherwise small answers to pipelined requests would block the event loop for other connections.
      await yieldToEventLoop()
    })
    if (answered === undefined) socket.destroy()
    answered?.catch((error: unknown) => {
      if (!isGone(error)) log.error({ err: error }, 'Answer could not be sent completely')
      outgoing.destroy()
    })
  }
}

/** Resolves when the client has read the whole answer or has disconnected. */
async function answer(
  app: App,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  readers: SlowReaders,
): Promise<void> {
  const { socket } = incoming
  if (socket.destroyed) return
  const request = readRequest(incoming)
  if (request === null) {
    outgoing.writeHead(400).end()
    return
  }
  const { status, headers, body } = await app(request)
  try {
    if (socket.destroyed) return
    outgoing.statusCode = status
    outgoing.setHeaders(new Map(Object.entries(headers)))
    if (typeof body === 'string') outgoing.setHeader('Content-Length', Buffer.byteLength(body))
    if (request.method !== 'HEAD') await sendBody(body, outgoing, (...kept) => readers.waitFor(socket, ...kept))
    const ended = next(outgoing, 'finish')
    outgoing.end()
    await readers.waitFor(socket, outgoing, 0, ended)
  } finally {
    if (isStream(body)) await body[Symbol.asyncIterator]().return?.()
  }
}

type WaitFor = (body: object, bytes: number, taken: Promise<unknown>) => Promise<void>

async function sendBody(body: Answer['body'], outgoing: ServerResponse, waitFor: WaitFor): Promise<void> {
  if (isStream(body)) for await (const text of body) await sendWhole([Buffer.from(text)], outgoing, waitFor)
  else await sendWhole(typeof body === 'string' ? [Buffer.from(body)] : body, outgoing, waitFor)
}

/** Removes each piece from the list, so that a slow client or an idle connection does not retain sent pieces. */
async function sendWhole(pieces: Uint8Array[], outgoing: ServerResponse, waitFor: WaitFor): Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
  // The last piece identifies answers that share their pieces.
  const shared = pieces.at(-1) ?? pieces
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    for (let at = 0; at < piece.byteLength; at += sliceBytes) {
      const isTaken = outgoing.write(piece.subarray(at, at + sliceBytes))
      if (!isTaken) await waitFor(shared, bytes, next(outgoing, 'drain'))
    }
  }
}

function isStream(body: Answer['body']): body is AsyncIterable<string> {
  return typeof body === 'object' && Symbol.asyncIterator in body
}

/** Resolves with the event; rejects when the connection closes before it. */
function next(outgoing: ServerResponse, event: 'drain' | 'finish'): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      outgoing.off('close', close)
      resolve()
    }
    const close = () => {
      outgoing.off(event, done)
      reject(Object.assign(new Error('The client disconnected'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }))
    }
    if (outgoing.destroyed || outgoing.closed) close()
    else outgoing.once(event, done).once('close', close)
  })
}

function cutLater(incoming: IncomingMessage): void {
  const cut = () => {
    if (!incoming.complete) incoming.socket.destroySoon()
  }
  if (!incoming.complete) setTimeout(cut, restMs).unref()
}

/** True when the client disconnected, which is no error of the server. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}

/** A Host header: a name or an address, and an optional port (RFC 9110, 7.2). */
const host = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

export function readRequest(incoming: IncomingMessage): WebRequest | null {
  const { method = '', url = '', headersDistinct, httpVersion, socket } = incoming
  const hosts = headersDistinct['host'] ?? (httpVersion === '1.0' ? [''] : [])
  const [named = '', ...others] = hosts
  if (hosts.length === 0 || others.length > 0 || (named !== '' && !host.test(named))) return null
  if (named === '' && httpVersion !== '1.0') return null
  if (/^[^?]*\\/.test(url)) return null
  // A server must accept an absolute URL as target, too (RFC 9112, 3.2.2).
  const isWhole = /^https?:\/\//i.test(url)
  const target = isWhole ? url : `http://localhost${url}`
  if (!(isWhole || url.startsWith('/')) || !URL.canParse(target)) return null
  const { host: targeted, pathname, searchParams } = new URL(target)
  return {
    method,
    path: decoded(pathname),
    hosts: isWhole ? [named, targeted] : [named],
    ...firstOfEach(searchParams),
    header: (name) => headersDistinct[name]?.join(', '),
    socket,
  }
}

/** One pass, because an unauthenticated request may have thousands of parameters. */
function firstOfEach(parameters: URLSearchParams): Pick<WebRequest, 'query' | 'repeated'> {
  const first = new Map<string, string>()
  let repeated: string | null = null
  for (const [name, value] of parameters) {
    if (first.has(name)) repeated ??= name
    else first.set(name, value)
  }
  return { query: Object.fromEntries(first), repeated }
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
