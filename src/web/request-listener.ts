import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { Log } from '../model/log.ts'
import type { App } from './app.ts'
import { boundedQueue, type Queue } from './auth/queue.ts'
import { readRequest } from './read-request.ts'

/** How long the rest of a body, which nobody reads, may come after its answer, in milliseconds. */
const restMs = 500

/** How many requests of one connection may be without their answer; who sends more ahead is cut off. */
const mostAhead = 128

/**
 * Has a server answer by the routes. A failure in the middle of a body breaks the connection: half is not the whole.
 * An answer is made when those before it on its connection have been taken: a peer that sends thousands of requests ahead
 * and reads nothing would else have all of their answers kept in memory.
 */
export function requestListener(app: App, log: Log): RequestListener {
  const queues = new WeakMap<Socket, Queue>()
  return (incoming, outgoing) => {
    const { socket } = incoming
    const inTurn = queues.get(socket) ?? boundedQueue(mostAhead)
    queues.set(socket, inTurn)
    outgoing.once('finish', () => cutLater(incoming))
    const answered = inTurn(() => answer(app, incoming, outgoing))
    if (answered === undefined) socket.destroy()
    answered?.catch((error: unknown) => {
      if (!isGone(error)) log.error({ err: error }, 'An answer could not be sent whole')
      outgoing.destroy()
    })
  }
}

/** Ends when the whole answer has been taken, or there is nobody left to take it. */
async function answer(app: App, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { socket } = incoming
  if (socket.destroyed) return
  const asked = readRequest(incoming)
  if (asked === null) {
    outgoing.writeHead(400).end()
    return
  }
  const { status, headers, body } = await app(asked)
  if (socket.destroyed) return
  outgoing.statusCode = status
  outgoing.setHeaders(new Map(Object.entries(headers)))
  if (typeof body === 'string') outgoing.setHeader('Content-Length', Buffer.byteLength(body)).end(body)
  else if (asked.method === 'HEAD') outgoing.end()
  else await pipeline(Readable.from(body), outgoing)
  await finished(outgoing)
}

function cutLater(incoming: IncomingMessage): void {
  const cut = () => {
    if (!incoming.complete) incoming.socket.destroySoon()
  }
  if (!incoming.complete) setTimeout(cut, restMs).unref()
}

/** The reader went away, which is his right. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}
