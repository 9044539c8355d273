import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pause } from '../server/pause.ts'
import type { EffectOf, FaultEffect } from './effect.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const blockBytes = 65_536

/** Pads the body with leading blanks, which JSON allows, to `bytes`. */
function* padded(body: Buffer, bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(blockBytes, ' ')
  for (let left = bytes - body.length; left > 0; left -= blockBytes) yield block.subarray(0, left)
  yield body
}

function headLines({ status, headers }: Reply, framing: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} Simulated`, ...lines, framing, '', ''].join('\r\n')
}

function truncate(response: ServerResponse, reply: Reply, effect: EffectOf<'truncate'>): void {
  const sent = reply.body.subarray(0, effect.bytes ?? Math.floor(reply.body.length / 2))
  const framing = {
    'content-length': `content-length: ${reply.body.length}`,
    chunked: 'transfer-encoding: chunked',
    close: 'connection: close',
  }[effect.framing]
  const chunk = effect.framing === 'chunked' ? [`${sent.length.toString(16)}\r\n`, sent, '\r\n'] : [sent]
  const parts = [headLines(reply, framing), ...chunk].map((part) => Buffer.from(part))
  response.socket?.end(Buffer.concat(parts))
}

async function resetInBody(response: ServerResponse, reply: Reply): Promise<void> {
  const { socket } = response
  if (socket === null) return
  const half = reply.body.subarray(0, Math.floor(reply.body.length / 2))
  const head = headLines(reply, `content-length: ${reply.body.length}`)
  await new Promise<void>((resolve) => socket.write(Buffer.concat([Buffer.from(head), half]), () => resolve()))
  socket.resetAndDestroy()
}

async function drip(
  response: ServerResponse,
  reply: Reply,
  { chunkBytes, everyMs }: EffectOf<'drip'>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(reply.body.length) })
  for (let at = 0; at < reply.body.length && !response.destroyed; at += chunkBytes) {
    if (!response.write(reply.body.subarray(at, at + chunkBytes))) await once(response, 'drain', { signal })
    await pause(everyMs, signal)
  }
  response.end()
}

async function pour(
  response: ServerResponse,
  reply: Reply,
  effect: EffectOf<'huge-body' | 'gzip-bomb'>,
): Promise<void> {
  const source = Readable.from(padded(reply.body, effect.bytes))
  if (effect.kind === 'huge-body') {
    response.writeHead(reply.status, { ...reply.headers })
    await pipeline(source, response)
    return
  }
  response.writeHead(reply.status, { ...reply.headers, 'content-encoding': 'gzip' })
  await pipeline(source, createGzip({ level: 1 }), response)
}

/** Writes a reply distorted by a fault; true when the client got a complete answer. */
export async function writeDistorted(
  response: ServerResponse,
  reply: Reply,
  effect: FaultEffect,
  signal: AbortSignal,
): Promise<boolean> {
  switch (effect.kind) {
    case 'reset':
      if (effect.when === 'mid') await resetInBody(response, reply)
      else response.socket?.resetAndDestroy()
      return false
    case 'truncate':
      truncate(response, reply, effect)
      return false
    case 'raw':
      response.socket?.end(effect.bytes)
      return false
    case 'drip':
      await drip(response, reply, effect, signal)
      return true
    case 'huge-body':
    case 'gzip-bomb':
      await pour(response, reply, effect)
      return true
    default:
      writeWhole(response, reply)
      return true
  }
}

export function writeWhole(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(reply.body.length) })
  response.end(reply.body)
}

/** Inserts an invalid byte into the last string, so that a lenient decoder still parses the JSON. */
export function withInvalidByte(body: Buffer): Buffer {
  const at = Math.max(0, body.lastIndexOf('"'))
  return Buffer.concat([body.subarray(0, at), Buffer.from([0xff]), body.subarray(at)])
}
