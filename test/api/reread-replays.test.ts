import { expect, it } from 'vitest'
import { secondMs } from '../../src/model/time.ts'
import { roles } from '../../src/resources/roles.ts'
import { envelope } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { sendJson, testServer } from './support/test-server.ts'

/** A server behind a cache that keeps each answer for so long; `requests` have the time of each since the first. */
async function cached(ttlMs: number) {
  const server = await testServer((_, response) => response.end())
  const test = testClient(server.url)
  const { clock } = test
  const began = clock.monotonic()
  const requests: number[] = []
  let kept: { readonly at: number; readonly body: unknown } | null = null
  server.handler = (_, response) => {
    requests.push(clock.monotonic() - began)
    if (kept === null || clock.monotonic() - kept.at >= ttlMs) {
      const timestamp = new Date(clock.now()).toISOString()
      const meta = { requestId: `r-${requests.length}`, timestamp }
      kept = { at: clock.monotonic(), body: { ...envelope([], { limit: 1, nextCursor: null, hasMore: false }), meta } }
    }
    sendJson(response, 200, kept.body)
  }
  return { ...test, requests }
}

it('waits for a cache that keeps answers for some seconds', async () => {
  const { client, requests, observed } = await cached(3 * secondMs)
  await client.reader.fetch(roles, {})
  const { meta } = await client.reader.fetch(roles, {})
  expect(meta.requestId).toBe('r-4')
  expect(requests).toEqual([0, 0, 1, 3].map((seconds) => seconds * secondMs))
  expect(observed.filter((one) => one.startsWith('retry'))).toEqual(['retry stale_answer', 'retry stale_answer'])
})

it('refuses the answer of a cache that keeps it longer, after the waits of a retry', async () => {
  const { client, requests, failed } = await cached(60 * secondMs)
  await client.reader.fetch(roles, {})
  expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({ reason: 'stale_answer' })
  expect(requests).toEqual([0, 0, 1, 3, 7, 15].map((seconds) => seconds * secondMs))
  expect(failed).toHaveLength(5)
})
