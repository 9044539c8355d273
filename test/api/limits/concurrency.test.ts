import { expect, it } from 'vitest'
import { Concurrency } from '../../../src/api/limits/concurrency.ts'
import { roles } from '../../../src/resources/roles.ts'
import { envelope } from '../support/answers.ts'
import { testClient } from '../support/client.ts'
import { sendJson, testServer } from '../support/test-server.ts'

it('a server that takes one request at a time and refuses others with 429 answers all of them', async () => {
  const refused = Array.from({ length: 7 }, () => Promise.withResolvers<void>())
  let refusals = 0
  let taken = 0
  await using server = await testServer(async (_, response) => {
    if (taken > 0) {
      refused[refusals++]?.resolve()
      sendJson(response, 429, {}, { 'retry-after': '1' })
      return
    }
    taken++
    await Promise.all(refused.map(({ promise }) => promise))
    await new Promise(setImmediate)
    taken--
    sendJson(response, 200, envelope([]))
  })
  const { client } = testClient(server.url)
  await using _ = client
  await Promise.all(Array.from({ length: 8 }, () => client.fetch(roles, {})))
  await Promise.all(Array.from({ length: 8 }, () => client.fetch(roles, {})))
  expect(refusals).toBe(7)
})

/** Enters so often, and returns how many were admitted. */
async function admitted(concurrency: Concurrency, count: number, signal?: AbortSignal): Promise<() => number> {
  let entered = 0
  for (let index = 0; index < count; index++) {
    void concurrency.enter(signal).then(
      () => entered++,
      () => undefined,
    )
  }
  await new Promise(setImmediate)
  return () => entered
}

it('a refusal halves the requests in flight, down to one; 20 successes permit one more', async () => {
  const concurrency = new Concurrency()
  const first = await admitted(concurrency, 6)
  expect(first()).toBe(6)
  concurrency.refused()
  concurrency.refused()
  concurrency.refused()
  for (let index = 0; index < 6; index++) concurrency.leave()
  const second = await admitted(concurrency, 3)
  expect(second()).toBe(1)
  for (let index = 0; index < 20; index++) concurrency.succeeded()
  await new Promise(setImmediate)
  expect(second()).toBe(2)
  concurrency.leave()
  await new Promise(setImmediate)
  expect(second()).toBe(3)
})
