import { expect, it } from 'vitest'
import { roles } from '../../src/resources/roles.ts'
import { users } from '../../src/resources/users.ts'
import { envelope, page } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { type Handler, sendJson, testServer } from './support/test-server.ts'

const failing = (status: number, times: number, headers: Record<string, string> = {}): Handler => {
  return (_, response, number) =>
    number <= times ? sendJson(response, status, {}, headers) : sendJson(response, 200, envelope([]))
}

it('retries with full jitter, exponentially, up to four times', async () => {
  const server = await testServer(failing(500, 4))
  const { client, clock, observed } = testClient(server.url, { random: () => 0.999 })
  await client.reader.fetch(roles, {})
  expect(clock.sleeps).toEqual([999, 1998, 3996, 7992])
  expect(observed.filter((line) => line.startsWith('retry'))).toEqual(Array(4).fill('retry server_error'))
})

it.each([
  ['7', 7000],
  ['0.5', 500],
  ['30', 30_000],
  ['Thu, 15 Jan 2026 00:00:20 GMT', 20_000],
])('waits out Retry-After %s in full before the retry', async (header, ms) => {
  const server = await testServer(failing(429, 1, { 'retry-after': header, date: 'Thu, 15 Jan 2026 00:00:00 GMT' }))
  for (const random of [() => 0, () => 0.999]) {
    const { client, clock } = testClient(server.url, { random })
    server.requests.length = 0
    const start = clock.monotonic()
    await client.reader.fetch(roles, {})
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(ms)
    expect(server.requests).toHaveLength(2)
  }
})

it.each(['-5', 'NaN', 'Infinity', 'soon', '', '0', 'Thu, 15 Jan 2015 00:00:00 GMT'])(
  'ignores the Retry-After %j',
  async (header) => {
    const server = await testServer(failing(503, 1, { 'retry-after': header, date: 'Thu, 15 Jan 2026 00:00:00 GMT' }))
    const { client, clock } = testClient(server.url)
    await client.reader.fetch(roles, {})
    expect(clock.sleeps).toEqual([500])
    expect(client.waitMs()).toBe(0)
  },
)

it.each([
  [429, '31', 31_000],
  [503, '120', 120_000],
  [429, '99999999999', 86_400_000],
  [429, 'Fri, 16 Jan 2026 12:00:00 GMT', 86_400_000],
])(
  'a %i with Retry-After %s ends as rate_limited, and nothing is sent before it passes',
  async (status, header, ms) => {
    const server = await testServer(
      failing(status, 1, { 'retry-after': header, date: 'Thu, 15 Jan 2026 00:00:00 GMT' }),
    )
    const { client, clock } = testClient(server.url)
    const retryAt = clock.now() + ms
    expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({ reason: 'rate_limited', status, retryAt })
    expect(client.waitMs()).toBe(ms)
    clock.advance(ms - 30_001)
    expect(await caught(client.reader.fetchOne(users, 1))).toMatchObject({ reason: 'rate_limited', retryAt })
    expect(server.requests).toHaveLength(1)
    expect(clock.sleeps).toEqual([])
    clock.advance(1)
    await client.reader.fetch(roles, {})
    expect(clock.sleeps).toEqual([30_000])
    expect(client.waitMs()).toBe(0)
  },
)

it('never starts more requests in any second than the rate allows', async () => {
  const starts: number[] = []
  const server = await testServer((_, response) => {
    starts.push(clock.monotonic())
    sendJson(response, 200, page([]))
  })
  const { client, clock } = testClient(server.url, { api: { requestsPerSecond: 3 } })
  for (let call = 0; call < 10; call++) {
    await client.reader.fetch(users, {})
    clock.advance(call * 37)
  }
  for (const start of starts)
    expect(starts.filter((other) => other >= start && other < start + 1000).length).toBeLessThan(4)
  expect(starts[2]).toBe(37)
})

it('stops waiting when the caller aborts', async () => {
  const controller = new AbortController()
  const server = await testServer((_, response) => {
    sendJson(response, 500, {})
    response.on('finish', () => controller.abort())
  })
  const { client } = testClient(server.url, {
    random: () => {
      controller.abort()
      return 0.5
    },
  })
  expect(await caught(client.reader.fetch(roles, {}, controller.signal))).toMatchObject({ reason: 'aborted' })
  expect(server.requests).toHaveLength(1)
})
