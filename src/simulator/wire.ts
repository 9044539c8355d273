import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { EffectOf } from './faults.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Effects on the bytes of an answer. */
export type WireEffect = EffectOf<'reset' | 'raw'>

/** Greatest delay of a timer in milliseconds; Node fires longer ones immediately. */
const longestDelayMs = 2 ** 31 - 1

/** Waits `ms` milliseconds; rejects with an AbortError when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(ms, longestDelayMs), undefined, { signal })
}

/** Calls `work` again and again, without keeping the process alive. */
export function repeatedly(work: () => void, everyMs: number): NodeJS.Timeout {
  return setInterval(work, Math.min(everyMs, longestDelayMs)).unref()
}

/** Listens on a host and port (0 = a free one); rejects when the port is taken. */
export async function listen(handler: RequestListener, host: string, port: number) {
  // No time-outs: faults may delay answers, and closing idle connections would cause races.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, handler)
  server.listen(port, host)
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return { server, url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}` }
}

export async function stopListening(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  if (server.listening) await once(server, 'close')
}

/** The request as the service takes it; its body is read whole. */
export async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/' } = incoming
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(url, 'http://simulator.invalid'), {
    method,
    headers,
    ...(hasBody && { body: new Uint8Array(await buffer(incoming)) }),
  })
}

export function writeReply(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) })
  response.end(body)
}

/** Ends a connection as a fault says; the client gets no whole answer. */
export async function breakOff(response: ServerResponse, reply: Reply, effect: WireEffect): Promise<void> {
  if (effect.kind === 'raw') {
    response.socket?.end(effect.bytes)
    return
  }
  if (effect.when === 'mid') await writeHalf(response, reply)
  response.socket?.resetAndDestroy()
}

/** The head and half of the body. */
async function writeHalf(response: ServerResponse, { status, headers, body }: Reply): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) })
  const half = body.subarray(0, Math.floor(body.length / 2))
  await new Promise<void>((resolve) => response.write(half, () => resolve()))
}
