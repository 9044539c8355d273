import { expect, it, vi } from 'vitest'
import { secondMs } from '../../src/model/time.ts'
import { testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const tooMany = (seconds: string, status = 429) =>
  ({ kind: 'status', status, headers: { 'retry-after': seconds } }) as const

it('the wait survives a kill before the end of the run that received it', async () => {
  const test = await testEngine()
  const path = '/api/public/users/{id}'
  test.sim.faults.add({ path, nth: 1, effect: tooMany('600') })
  test.sim.faults.add({ path, nth: 2, effect: { kind: 'hang' } })
  const killed = new AbortController()
  const run = test.run('users', 'full', killed.signal)
  const until = test.clock.now() + 600 * secondMs
  await vi.waitFor(() => expect(test.query('select blocked_until as until from tenants')).toEqual([{ until }]), 30_000)
  await test.crash()
  killed.abort()
  await run
  test.sim.requests.clear()
  test.clock.advance(569 * secondMs)
  const early = await test.run('roles')
  expect([early.reason, early.retryAt, test.sim.requests.count()]).toEqual(['rate_limited', until, 0])
  test.clock.advance(31 * secondMs)
  expect(ending(await test.run('users', 'full'))).toBe('success')
})

it('the wait for a wrong address does not hold for the right one', async () => {
  const test = await testEngine({ settings })
  test.sim.faults.add({ path: '/api/public/users', effect: tooMany('86400') })
  expect(ending(await test.run('users', 'full'))).toBe('rate_limited')
  await test.restart({ baseUrl: `${test.sim.baseUrl}/` })
  test.sim.faults.clear()
  expect(ending(await test.run('users', 'full'))).toBe('success')
})

it('a full sync that waited a day for the tenant continues where it stopped', async () => {
  const test = await testEngine({ settings, sizes: { users: 200 } })
  test.sim.faults.add({ path: '/api/public/users', page: 3, times: 1, effect: tooMany('86400') })
  expect(ending(await test.run('users', 'full'))).toBe('rate_limited')
  test.clock.advance(20 * 3600 * secondMs)
  expect(ending(await test.run('users', 'full'))).toBe('rate_limited')
  test.clock.advance(4 * 3600 * secondMs)
  test.sim.requests.clear()
  expect(ending(await test.run('users', 'full'))).toBe('success')
  const pages = test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users').map(({ page }) => page)
  expect(pages[0]).toBe(3)
})
