import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../model/log.ts'
import type { App } from './app.ts'
import { boundedQueue, type Queue } from './auth/queue.ts'
import { readRequest } from './read-request.ts'
import type { SlowReaders } from './slow-readers.ts'

/** How long the rest of a body, which nobody reads, may come after its answer, in milliseconds. */
const restMs = 500

/** How many requests of one connection may be without their answer; who sends more ahead is cut off. */
const mostAhead = 128

/** So many bytes are handed to the socket at a time; the next when its reader has taken them. */
const sliceBytes = 65_536

/**
 * Has a server answer by the routes. A failure in the middle of a body breaks the connection: half is not the whole.
 * An answer is made when those before it on its connection have been taken: a peer that sends thousands of requests ahead
 * and reads nothing would else have all of their answers kept in memory.
 */
export function requestListener(app: App, log: Log, readers: SlowReaders): RequestListener {
  const queues = new WeakMap<Socket, Queue>()
  return (incoming, outgoing) => {
    const { socket } = incoming
    const inTurn = queues.get(socket) ?? boundedQueue(mostAhead)
    queues.set(socket, inTurn)
    outgoing.once('finish', () => cutLater(incoming))
    const answered = inTurn(() => answer(app, incoming, outgoing, readers))
    if (answered === undefined) socket.destroy()
    answered?.catch((error: unknown) => {
      if (!isGone(error)) log.error({ err: error }, 'An answer could not be sent whole')
      outgoing.destroy()
    })
  }
}

/** Ends when the whole answer has been taken, or there is nobody left to take it. */
async function answer(
  app: App,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  readers: SlowReaders,
): Promise<void> {
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
  if (typeof body === 'string') outgoing.setHeader('Content-Length', Buffer.byteLength(body))
  if (asked.method !== 'HEAD') {
    const send = (piece: Uint8Array, kept: object, bytes: number) =>
      sendPiece(piece, outgoing, (taken) => readers.waitFor(socket, kept, bytes, taken))
    if (typeof body === 'string') {
      const whole = Buffer.from(body)
      await send(whole, whole, whole.byteLength)
    } else if (Symbol.asyncIterator in body) {
      for await (const text of body) {
        const piece = Buffer.from(text)
        await send(piece, piece, piece.byteLength)
      }
    } else {
      const bytes = body.reduce((sum, piece) => sum + piece.byteLength, 0)
      for (const piece of body) await send(piece, body, bytes)
    }
  }
  const ended = next(outgoing, 'finish')
  outgoing.end()
  await readers.waitFor(socket, outgoing, 0, ended)
}

/** Hands a piece over, slice by slice, as its reader takes it. */
async function sendPiece(
  piece: Uint8Array,
  outgoing: ServerResponse,
  waitFor: (taken: Promise<unknown>) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < piece.byteLength; at += sliceBytes) {
    if (!outgoing.write(piece.subarray(at, at + sliceBytes))) await waitFor(next(outgoing, 'drain'))
  }
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
      reject(Object.assign(new Error('The reader went away'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }))
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

/** The reader went away, which is his right. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}
