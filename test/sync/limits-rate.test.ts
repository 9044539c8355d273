import { expect, it, vi } from 'vitest'
import { dayMs, secondMs } from '../../src/model/durations.ts'
import { testEngine } from '../support/engine.ts'
import { ending, live } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const tooMany = (seconds: string, status = 429) =>
  ({ kind: 'status', status, headers: { 'retry-after': seconds } }) as const

it('a long Retry-After ends the run as rate_limited, and nothing is sent before it passes', async () => {
  const test = await testEngine({ settings, sizes: { users: 200 } })
  test.sim.faults.add({ path: '/api/public/users', page: 3, times: 1, effect: tooMany('120') })
  const result = await test.run('users', 'full')
  expect([result.outcome, result.reason]).toEqual(['failure', 'rate_limited'])
  expect(result.retryAt).toBe(test.clock.now() + 120 * secondMs)
  expect(live(test, 'users')).toBe(100)
  test.sim.requests.clear()
  test.clock.advance(89 * secondMs)
  for (const resource of test.engine.resources) {
    const early = await test.run(resource, 'full')
    expect([early.reason, early.retryAt]).toEqual(['rate_limited', result.retryAt])
  }
  expect(test.sim.requests.count()).toBe(0)
})

it('the wait survives a restart, and the full sync continues afterwards where it stopped', async () => {
  const test = await testEngine({ settings, sizes: { users: 200 } })
  test.sim.faults.add({ path: '/api/public/users', page: 3, times: 1, effect: tooMany('300') })
  const { retryAt } = await test.run('users', 'full')
  await test.restart()
  test.sim.requests.clear()
  expect(ending(await test.run('users', 'full'))).toBe('rate_limited')
  expect(test.sim.requests.count()).toBe(0)
  test.clock.advance(Number(retryAt) - test.clock.now())
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(live(test, 'users')).toBe(200)
  expect(test.sim.requests.filter(({ cursor }) => cursor !== null).map(({ page }) => page)).toContain(3)
  const readInFull = test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users')
  expect(readInFull.filter(({ cursor }) => cursor === null)).toHaveLength(0)
})

it('the wait survives a kill before the end of the run that received it', async () => {
  const test = await testEngine({ settings })
  for (const effect of [tooMany('600'), { kind: 'drip', chunkBytes: 1, everyMs: 600 * secondMs }] as const) {
    test.sim.faults.add({ path: '/api/public/documents', times: 1, effect })
  }
  const killed = new AbortController()
  const run = test.run('documents', 'full', killed.signal)
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
  expect(ending(await test.run('documents', 'full'))).toBe('success')
})

it('a short wait, too, survives a kill in its midst', async () => {
  const test = await testEngine({ settings })
  test.sim.faults.add({ path: '/api/public/documents', times: 1, effect: tooMany('20') })
  test.clock.hold()
  const killed = new AbortController()
  const run = test.run('documents', 'full', killed.signal)
  await vi.waitFor(() => expect(test.clock.sleeps).toHaveLength(1), 30_000)
  await test.crash()
  killed.abort()
  await run
  test.clock.release()
  test.clock.advance(5 * secondMs)
  const before = test.clock.monotonic()
  expect(ending(await test.run('roles'))).toBe('success')
  expect(test.clock.monotonic() - before).toBe(15 * secondMs)
})

it.each([-dayMs, dayMs])('a wall clock that is set by %i ms moves no wait, over a restart either', async (jump) => {
  const test = await testEngine({ settings })
  test.sim.faults.add({ path: '/api/public/documents', times: 1, effect: tooMany('600') })
  await test.run('documents', 'full')
  test.sim.requests.clear()
  test.clock.jump(jump)
  test.clock.advance(300 * secondMs)
  const early = await test.run('roles')
  expect([early.reason, early.retryAt]).toEqual(['rate_limited', test.clock.now() + 300 * secondMs])
  await test.restart()
  test.clock.advance(269 * secondMs)
  expect(ending(await test.run('roles'))).toBe('rate_limited')
  expect(test.sim.requests.count()).toBe(0)
  test.clock.advance(31 * secondMs)
  expect(ending(await test.run('roles'))).toBe('success')
  expect(test.clock.sleeps).toEqual([])
})

it.each(['GET /api/public/users/{id} of a detail', 'GET /api/public/users/{id} of a missing user'])(
  'a long wait stated to %s fails no run, yet is kept over a restart',
  async (what) => {
    const details = what.endsWith('detail')
    const test = await testEngine({ settings: { userDetails: { perRun: details ? 5 : 0 } }, sizes: { users: 50 } })
    const add = () => test.sim.faults.add({ path: '/api/public/users/{id}', effect: tooMany('600') })
    if (details) add()
    else {
      await test.run('users', 'full')
      let left = 2
      test.sim.primary.removeUsers(() => left-- > 0)
      add()
    }
    expect(ending(await test.run('users', 'full'))).toBe('success')
    expect(live(test, 'users')).toBe(50)
    await test.restart()
    test.sim.requests.clear()
    expect(ending(await test.run('roles'))).toBe('rate_limited')
    expect(test.sim.requests.count()).toBe(0)
    test.sim.faults.clear()
    test.clock.advance(600 * secondMs)
    expect(ending(await test.run('roles'))).toBe('success')
  },
)

it('a short Retry-After is waited for within the run', async () => {
  const test = await testEngine({ settings })
  test.sim.faults.add({ path: '/api/public/documents', times: 1, effect: tooMany('20') })
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  expect(test.clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(20 * secondMs)
})

it('a wait of ages is clamped to 24 hours', async () => {
  const test = await testEngine({ settings })
  test.sim.faults.add({ path: '/api/public/documents', times: 1, effect: tooMany('99999999999', 503) })
  const { reason, retryAt } = await test.run('documents', 'full')
  expect([reason, retryAt]).toEqual(['rate_limited', test.clock.now() + dayMs])
})

it('an incremental sync that was ended by a wait loses nothing', async () => {
  const test = await testEngine({ settings })
  await test.run('documents', 'full')
  const added = test.sim.primary.addDocument()
  test.sim.faults.add({ path: '/api/public/documents', times: 1, effect: tooMany('60') })
  expect(ending(await test.run('documents', 'incremental'))).toBe('rate_limited')
  test.clock.advance(60 * secondMs)
  expect((await test.run('documents', 'incremental')).counts.created).toBe(1)
  expect(test.query('select file_id from documents where file_id = ?', added.fileId)).toHaveLength(1)
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

it('a stored wait is no longer than it was when the clock was set back between two processes', async () => {
  const test = await testEngine({ settings })
  test.sim.faults.add({ path: '/api/public/documents', times: 1, effect: tooMany('600') })
  await test.run('documents', 'full')
  test.clock.jump(-20 * 3600 * secondMs)
  await test.restart()
  const { retryAt } = await test.run('roles')
  expect(retryAt).toBe(test.clock.now() + 600 * secondMs)
})
