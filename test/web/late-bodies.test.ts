import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startServer } from './support/server.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const head = 'POST /-/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n'

async function answered(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8').write(`${head}x`)
  const [answer] = await once(socket, 'data')
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  return socket
}

it('keeps a connection whose request body arrives after the answer', async () => {
  await using web = await startServer()
  const socket = await answered(web.port)
  socket.write('yGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 200 /)
  await vi.advanceTimersByTimeAsync(1000)
  socket.write('GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 404 /)
  socket.destroy()
})

it('closes a connection whose request body does not end', async () => {
  await using web = await startServer()
  const socket = await answered(web.port)
  const ended = once(socket, 'end')
  await vi.advanceTimersByTimeAsync(1000)
  await ended
})
