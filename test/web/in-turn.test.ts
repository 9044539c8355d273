import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
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
