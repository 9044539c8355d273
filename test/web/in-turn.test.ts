import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { silentLog } from '../../src/model/log.ts'
import { ofType } from '../../src/web/answer.ts'
import type { App } from '../../src/web/app.ts'
import { requestListener } from '../../src/web/request-listener.ts'
import { slowReaders } from '../../src/web/slow-readers.ts'
import { sources, startServer } from './support/server.ts'
import { gone, open, roundTrip } from './support/wire.ts'

const asking = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n'

it('makes one answer at a time for a connection with pipelined requests', async () => {
  const [ready, most] = counted()
  await using web = await startServer({ sources: { ...sources, ready } })
  const all = await roundTrip(web.port, `${`${asking}\r\n`.repeat(50)}${asking}Connection: close\r\n\r\n`)
  expect([all.match(/Ready/g)?.length, most()]).toEqual([51, 1])
})

it('makes answers for several connections at once', async () => {
  const [ready, most] = counted()
  await using web = await startServer({ sources: { ...sources, ready } })
  await Promise.all(Array.from({ length: 5 }, () => roundTrip(web.port, `${asking}Connection: close\r\n\r\n`)))
  expect(most()).toBeGreaterThan(1)
})

it('disconnects a client that pipelines hundreds of requests', async () => {
  const ready = vi.fn(() => new Promise<never>(() => {}))
  await using web = await startServer({ sources: { ...sources, ready } })
  const socket = await open(web.port)
  socket.write(`${asking}\r\n`.repeat(300))
  await gone(socket)
  expect(ready.mock.calls.length).toBeLessThanOrEqual(1)
})

it('logs nothing when the client disconnects before the first piece', async () => {
  const error = vi.fn()
  const made = Promise.withResolvers<void>()
  const app: App = async ({ socket }) => {
    await once(socket ?? expect.unreachable(), 'close')
    queueMicrotask(() => made.resolve())
    return ofType('text/plain', [Buffer.from('up 1\n')])
  }
  const server = createServer(requestListener(app, { ...silentLog(), error }, slowReaders())).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = await open((server.address() as AddressInfo).port)
  socket.write(`${asking}\r\n`)
  await once(server, 'request')
  socket.destroy()
  await made.promise
  await turn()
  expect(error.mock.calls).toEqual([])
})

it('writes no refusal of the next request into an answer under way', async () => {
  const body = Array.from({ length: 200 }, () => Buffer.alloc(65_536, 'x'))
  await using web = await startServer({
    sources: { ...sources, metrics: async () => ({ contentType: 'text/plain', body }) },
  })
  const socket = await open(web.port)
  let text = ''
  socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'readable')
  socket.write('NONSENSE\r\n\r\n')
  await turn()
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  await gone(socket)
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
})

it('releases the pieces of an answer as they are sent, and all of them on an idle connection', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const pieceBytes = 65_536
  const count = 200
  let [sent, unsent]: [WeakRef<Uint8Array>[], Uint8Array[]] = [[], []]
  const app: App = async () => {
    unsent = Array.from({ length: count }, () => Buffer.alloc(pieceBytes, 'x'))
    sent = unsent.map((piece) => new WeakRef(piece))
    return ofType('text/plain', unsent, { 'Content-Length': String(count * pieceBytes) })
  }
  const server = createServer(requestListener(app, silentLog(), slowReaders())).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const socket = await open((server.address() as AddressInfo).port)
  let read = 0
  let most = 0
  socket.on('data', (chunk: Buffer) => {
    read += chunk.byteLength
    most = Math.max(most, unsent.length - (count - Math.floor(read / pieceBytes)))
  })
  socket.write(`${asking}\r\n`)
  const [response] = (await once(server, 'request')).slice(1)
  await once(response, 'close')
  expect([most, unsent.length]).toEqual([0, 0])
  while (read < count * pieceBytes) await turn()
  await turn()
  collect()
  expect(sent.filter((piece) => piece.deref() !== undefined)).toEqual([])
  expect(socket.destroyed).toBe(false)
})

it('sends a whole exposition to each of the scrapes that share it', async () => {
  const exposition = { contentType: 'text/plain', body: ['up 1\n', 'up{x="y"} 1\n'].map((line) => Buffer.from(line)) }
  await using web = await startServer({ sources: { ...sources, metrics: async () => exposition } })
  const scrape = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const all = await Promise.all([1, 2, 3].map(() => roundTrip(web.port, scrape)))
  expect(all.map((text) => text.split('\r\n\r\n')[1])).toEqual(Array(3).fill('up 1\nup{x="y"} 1\n'))
})

/** A source that takes a while, and how many of its answers were under way at once. */
function counted() {
  let [underWay, most] = [0, 0]
  const ready = async () => {
    most = Math.max(most, ++underWay)
    for (let i = 0; i < 5; i++) await turn()
    underWay--
    return { ok: true, text: 'Ready' }
  }
  return [ready, () => most] as const
}
