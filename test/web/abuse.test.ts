import { request } from 'node:http'
import { expect, it, vi } from 'vitest'
import { sources, startServer, textOf } from './support/server.ts'

const most = 256

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
    new Promise<AsyncGenerator<string>>((resolve) => {
      finish.push(() => resolve(textOf('ok\n')))
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
