import { expect, it } from 'vitest'
import { Gate } from '../../src/api/gate.ts'
import { silentLog } from '../../src/model/log.ts'
import { dayMs, hourMs, secondMs } from '../../src/model/time.ts'
import { roles } from '../../src/resources/roles.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { envelope } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { sendJson, testServer } from './support/test-server.ts'

it.each([-dayMs, -hourMs, hourMs, dayMs])(
  'a wall clock that is set by %i ms neither ends nor lengthens a long wait',
  async (jump) => {
    const clock = fakeClock(Date.UTC(2026, 0, 15))
    const free = { clock, random: () => 0.5, requestsPerSecond: 0, blockedUntil: 0, log: silentLog() }
    const gate = new Gate({ ...free, storeWait: async () => {} })
    await gate.blockFor(600 * secondMs)
    clock.jump(jump)
    clock.advance(569 * secondMs)
    const retryAt = clock.now() + 31 * secondMs
    expect(await caught(gate.pass())).toMatchObject({ reason: 'rate_limited', retryAt })
    expect(gate.blockedUntil).toBe(retryAt)
    clock.advance(31 * secondMs)
    await gate.pass()
    expect(clock.sleeps).toEqual([])
  },
)

it('a server that takes one request at a time and refuses others with 429 answers all of them', async () => {
  const refused = Array.from({ length: 7 }, () => Promise.withResolvers<void>())
  let refusals = 0
  let taken = 0
  const server = await testServer(async (_, response) => {
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
  await Promise.all(Array.from({ length: 8 }, () => client.reader.fetch(roles, {})))
  await Promise.all(Array.from({ length: 8 }, () => client.reader.fetch(roles, {})))
  expect(refusals).toBe(7)
})
