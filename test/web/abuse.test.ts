import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, vi } from 'vitest'
import { sources, startServer, textOf } from './support/server.ts'
import { responseTo } from './support/wire.ts'

const most = 256

async function scrape(port: number): Promise<string> {
  const answer = await responseTo(request({ port, path: '/metrics', agent: false }))
  return answer.statusCode === 200 ? text(answer) : `status ${answer.statusCode}`
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
