import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, head, send } from './fault-server.ts'

type Headers = Readonly<Record<string, string>>

/** Part of bodies that no message or log may quote. */
export const bodyCanary = 'canary-of-the-body'

/** Finds the canary also where a message quotes but a little of the text around a mistake in it. */
export const bodyCanaryIn = /canary|-of-the-|he-body/

const json = { 'content-type': 'application/json' }

/** A well-framed answer of its own. */
export const answer =
  (status: number, body: string | Buffer = '', headers: Headers = {}): Fault =>
  ({ socket }) =>
    send(socket, { status, headers: { ...json, ...headers }, body: Buffer.from(body) })

/** The error answer of the API for a status. */
export const problem = (status: number, code: string, headers: Headers = {}): Fault => {
  const meta = { requestId: '11111111-2222-3333-4444-555555555555', timestamp: '2026-03-01T12:00:00Z' }
  const error = { code, message: bodyCanary }
  return answer(status, JSON.stringify({ data: null, pagination: null, error, meta }), headers)
}

/** The right answer with other bytes, status or headers. */
export const changed =
  (change: (body: Buffer) => Buffer, headers: Headers = {}, status?: number): Fault =>
  async ({ socket, good }) => {
    const right = await good()
    send(socket, {
      status: status ?? right.status,
      headers: { ...right.headers, ...headers },
      body: change(right.body),
    })
  }

/** Any parsed envelope. */
export interface AnyEnvelope {
  data: unknown
  pagination: Record<string, unknown> | null
  error: unknown
  meta: Record<string, unknown>
}

/** The right answer with its envelope rewritten in place or replaced. */
export const reshaped = (change: (envelope: AnyEnvelope, url: URL) => unknown): Fault => {
  return async ({ socket, good, request }) => {
    const right = await good()
    const envelope = JSON.parse(right.body.toString()) as AnyEnvelope
    const next = change(envelope, new URL(request.url, 'http://x'))
    send(socket, { ...right, body: Buffer.from(JSON.stringify(next === undefined ? envelope : next)) })
  }
}

/** The right answer with members of its pagination set. */
export const paged = (members: Readonly<Record<string, unknown>>): Fault =>
  reshaped((envelope) => {
    envelope.pagination = { ...envelope.pagination, ...members }
  })

/** These bytes as they are, then the end of the connection. */
export const raw =
  (bytes: string): Fault =>
  ({ socket }) =>
    void socket.end(bytes)

/** The connection stays open without further data. */
export const silence: Fault = () => {}

/** One blank of the body each interval, for ever. */
export const drippingBody: Fault = ({ socket }) => {
  socket.write(head(200, { ...json, 'content-length': 100_000 }))
  return drip(socket, ' '.repeat(4000))
}

async function drip(socket: Parameters<Fault>[0]['socket'], text: string): Promise<void> {
  for (const letter of text) {
    if (socket.destroyed) return
    socket.write(letter)
    await sleep(10)
  }
}

/** A reset before any data. */
export const reset: Fault = ({ socket }) => void socket.resetAndDestroy()

/** A reset in the middle of the right body. */
export const resetInBody: Fault = async ({ socket, good }) => {
  const { body } = await good()
  const half = body.subarray(0, body.length >> 1)
  const bytes = Buffer.concat([Buffer.from(head(200, { ...json, 'content-length': body.length })), half])
  await new Promise((resolve) => socket.write(bytes, resolve))
  socket.resetAndDestroy()
}

/** The right body, ended early: against its length, in a chunk, or framed by nothing but the end. */
export const cut =
  (
    framing: 'content-length' | 'chunked' | 'close',
    keep = (body: Buffer) => body.subarray(0, body.length >> 1),
  ): Fault =>
  async ({ socket, good }) => {
    const { body } = await good()
    const part = keep(body)
    const frame = {
      'content-length': { 'content-length': body.length },
      chunked: { 'transfer-encoding': 'chunked' },
      close: { connection: 'close' },
    }[framing]
    const before = framing === 'chunked' ? `${part.length.toString(16)}\r\n` : ''
    const after = framing === 'chunked' ? '\r\n' : ''
    socket.end(Buffer.concat([Buffer.from(head(200, { ...json, ...frame }) + before), part, Buffer.from(after)]))
  }

/** The right answer in pieces of so many bytes. */
export const sliced =
  (bytes: number): Fault =>
  async ({ socket, good }) => {
    const { body, headers, status } = await good()
    const whole = Buffer.concat([Buffer.from(head(status, { ...headers, 'content-length': body.length })), body])
    socket.setNoDelay(true)
    for (let at = 0; at < whole.length; at += bytes) {
      await new Promise((resolve) => socket.write(whole.subarray(at, at + bytes), resolve))
    }
  }

/** The right answer behind interim ones. */
export const afterInterim =
  (count: number): Fault =>
  async ({ socket, good }) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(count))
    send(socket, await good())
  }

/** The right answer, and the connection closed behind it although it was kept alive. */
export const thenClosed: Fault = async ({ socket, good }) => {
  send(socket, await good())
  setTimeout(() => socket.resetAndDestroy(), 5)
}
