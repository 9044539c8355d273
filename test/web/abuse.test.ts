import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { expect, it, vi } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { sources, startServer, tlsOf } from './support/server.ts'
import { gone, open, roundTrip } from './support/wire.ts'

const most = 256
const start = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n'

function scrape(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path: '/metrics', agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve(answer.statusCode === 200 ? text : `status ${answer.statusCode}`))
    })
    sent.on('error', reject)
    sent.end()
  })
}

it('refuses a socket above the limit while all others have requests in flight', async () => {
  const finish: (() => void)[] = []
  const metrics = () =>
    new Promise<string[]>((resolve) => {
      finish.push(() => resolve(['ok\n']))
    })
  await using web = await startServer({ sources: { ...sources, metrics } })
  const working = Array.from({ length: most }, () => scrape(web.port))
  await vi.waitFor(() => expect(finish).toHaveLength(most), 30_000)
  await expect(scrape(web.port)).rejects.toThrow()
  expect(finish).toHaveLength(most)
  for (const end of finish) end()
  expect(await Promise.all(working)).toEqual(Array(most).fill('ok\n'))
  const next = scrape(web.port)
  await vi.waitFor(() => expect(finish).toHaveLength(most + 1), 30_000)
  finish.at(-1)?.()
  expect(await next).toBe('ok\n')
})

it('stops in time with clients stuck in the TLS handshake', async () => {
  const { cert, key } = selfSigned('127.0.0.1')
  const web = await startServer({ tls: tlsOf({ cert, key }) })
  const silent = await open(web.port)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = secureRequest(
      { port: web.port, host: '127.0.0.1', path: '/healthz', ca: cert, agent: false },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      },
    )
    sent.on('error', reject)
    sent.end()
  })
  expect(status).toBe(200)
  const plain = await roundTrip(web.port, `${start}\r\n`)
  expect(plain).not.toContain('up 1')
  const began = performance.now()
  await web.server.dispose(100)
  expect(performance.now() - began).toBeLessThan(8000)
  await gone(silent)
})
