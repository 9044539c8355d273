import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../model/log.ts'
import type { App } from './app.ts'
import { readRequest } from './read-request.ts'

/** How long the rest of a body, which nobody reads, may come after its answer, in milliseconds. */
const restMs = 500

/** Has a server answer by the routes. A failure in the middle of a body breaks the connection: half is not the whole. */
export function requestListener(app: App, log: Log): RequestListener {
  return (incoming, outgoing) => {
    outgoing.once('finish', () => cutLater(incoming))
    answer(app, incoming, outgoing).catch((error: unknown) => {
      if (!isGone(error)) log.error({ err: error }, 'An answer could not be sent whole')
      outgoing.destroy()
    })
  }
}

async function answer(app: App, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const asked = readRequest(incoming)
  if (asked === null) {
    outgoing.writeHead(400).end()
    return
  }
  const { status, headers, body } = await app(asked)
  outgoing.statusCode = status
  outgoing.setHeaders(new Map(Object.entries(headers)))
  if (typeof body === 'string') outgoing.setHeader('Content-Length', Buffer.byteLength(body)).end(body)
  else if (asked.method === 'HEAD') outgoing.end()
  else await pipeline(Readable.from(body), outgoing)
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
