import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { answerOf, open } from '../web/support/wire.ts'
import { daemon, placeFor, simulate, until } from './support/program.ts'

interface Peer {
  readonly what: string
  /** Sent at once. */
  readonly first: string
  /** Sent again and again, each second. */
  readonly again?: string
  /** Seconds after which it must be gone: the limit and the interval in which limits are looked at. */
  readonly within: number
  /** Text that it receives before. */
  readonly status: number
}

const start = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n'

const peers: readonly Peer[] = [
  { what: 'sends nothing', first: '', within: 17, status: 408 },
  { what: 'sends its headers a byte a second', first: 'GET /m', again: 'e', within: 17, status: 408 },
  {
    what: 'announces a body that never comes',
    first: `${start.replace('GET', 'POST')}Content-Length: 9\r\n\r\n`,
    within: 22,
    status: 405,
  },
  { what: 'asks once and stays', first: `${start}\r\n`, within: 12, status: 200 },
]

/** Seconds until the other side closes, and the status of its first answer. */
async function outlast(port: number, { first, again }: Peer): Promise<{ seconds: number; status: number | undefined }> {
  const socket: Socket = await open(port)
  let observed = ''
  socket.setEncoding('latin1').on('data', (text) => {
    observed += text
  })
  const began = performance.now()
  if (first !== '') socket.write(first)
  const drip = setInterval(() => again !== undefined && socket.writable && socket.write(again), 1000)
  await once(socket, 'close')
  clearInterval(drip)
  return { seconds: (performance.now() - began) / 1000, status: answerOf(observed)?.status }
}

it('closes the connection of every slow peer, states why, and answers the others meanwhile', async () => {
  const simulator = await simulate({ sizes: { users: 20 } })
  const one = await daemon(placeFor(simulator, temporaryFolder()))
  await until(async () => (await one.get('/readyz')).status === 200)
  const port = Number(new URL(one.url).port)
  let left = peers.length
  const ends = Promise.all(
    peers.map(async (peer) => {
      const end = await outlast(port, peer)
      left--
      return { what: peer.what, ...end }
    }),
  )
  while (left > 0) {
    const asked = performance.now()
    expect((await one.get('/metrics')).status).toBe(200)
    expect(performance.now() - asked).toBeLessThan(2000)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  for (const { what, seconds, status } of await ends) {
    const peer = peers.find((wanted) => wanted.what === what)
    expect([what, status]).toEqual([what, peer?.status])
    expect([what, seconds]).toEqual([what, expect.toSatisfy((took: number) => took < (peer?.within ?? 0))])
  }
})
