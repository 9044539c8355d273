import { once } from 'node:events'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { answerOf, open } from '../web/support/wire.ts'
import { daemon, placeFor, simulate, until } from './support/program.ts'
import { seconds } from './support/replicas.ts'

const start = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n'

/**
 * What a peer sends at once, what it sends each second from then on, the seconds after which it must be gone (the limit and
 * the interval in which limits are looked at), and the answer before.
 */
const peers = [
  ['sends nothing', '', '', 17, 408],
  ['sends its headers a byte a second', 'GET /m', 'e', 17, 408],
  ['announces a body that never comes', `${start.replace('GET', 'POST')}Content-Length: 9\r\n\r\n`, '', 22, 405],
  ['asks once and stays', `${start}\r\n`, '', 12, 200],
] as const

it('closes the connection of every slow peer, states why, and answers others meanwhile', async () => {
  const one = await daemon(placeFor(await simulate({ sizes: { users: 20 } }), temporaryFolder()))
  await until(async () => (await one.get('/readyz')).status === 200)
  const ends = peers.map(async ([what, first, again, within, status]) => {
    const socket = await open(Number(new URL(one.url).port))
    let observed = ''
    socket.setEncoding('latin1').on('data', (text) => {
      observed += text
    })
    socket.write(first)
    const drip = setInterval(() => socket.writable && socket.write(again), 1000)
    const took = await seconds(once(socket, 'close'))
    clearInterval(drip)
    expect([what, answerOf(observed)?.status, took < within]).toEqual([what, status, true])
  })
  expect((await one.get('/metrics')).status).toBe(200)
  await Promise.all(ends)
})
