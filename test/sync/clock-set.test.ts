import { expect, it } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../src/model/durations.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending } from '../support/trust.ts'

const settings = { userDetails: { perRun: 0 } }
const tenant = {
  settings,
  sizes: { users: 23, documents: 23 },
  readings: { defaultPageSize: { users: 5, documents: 5 } },
}
const state = (test: TestEngine, resource: ResourceName) => test.mirror.syncState(test.engine.tenantId, resource)

/** Does something while the n-th request to the resource from now on is answered. */
function at(test: TestEngine, resource: ResourceName, nth: number, act: () => void): void {
  let asked = 0
  const end = test.sim.onRequest(({ endpoint }) => {
    if (endpoint !== `/api/public/${resource}` || ++asked !== nth) return
    end()
    act()
  })
}

it.each(['users', 'documents', 'api-clients', 'roles'] as const)(
  'a clock set forward while %s are read makes the run no longer, nor the freshness limit',
  async (resource) => {
    const test = await testEngine(tenant)
    at(test, resource, 1, () => {
      test.clock.advance(minuteMs)
      test.clock.jump(dayMs)
    })
    expect(ending(await test.run(resource, 'sweep'))).toBe('success')
    expect((await state(test, resource)).completeDurationMs).toBe(minuteMs)
  },
)

it('the duration of a walk holds the waits between its runs, and no setting of the clock within them', async () => {
  const test = await testEngine(tenant)
  const stop = new AbortController()
  at(test, 'users', 2, () => {
    test.clock.advance(3 * minuteMs)
    test.clock.jump(-400 * dayMs)
  })
  at(test, 'users', 4, () => stop.abort())
  expect(ending(await test.run('users', 'sweep', stop.signal))).toBe('aborted')
  await test.restart()
  test.clock.advance(hourMs)
  expect(ending(await test.run('users', 'sweep'))).toBe('success')
  expect((await state(test, 'users')).completeDurationMs).toBe(hourMs + 3 * minuteMs)
})

it('polls stay polls when the clock is set back behind a sweep that a refused cursor made', async () => {
  const test = await testEngine(tenant)
  await test.run('users', 'sweep')
  test.sim.invalidateCursors()
  expect((await test.run('users', 'poll')).mode).toBe('sweep')
  test.clock.jump(-dayMs)
  expect(ending(await test.run('users', 'sweep'))).toBe('success')
  expect(await test.run('users', 'poll')).toMatchObject({ outcome: 'success', mode: 'poll' })
})

it.each([-dayMs, dayMs])(
  'a cursor refused again after the clock was set by %i ms makes a sweep at once',
  async (ms) => {
    const test = await testEngine(tenant)
    await test.run('users', 'sweep')
    for (const jump of [0, ms]) {
      test.clock.jump(jump)
      test.sim.invalidateCursors()
      expect(await test.run('users', 'poll')).toMatchObject({ outcome: 'success', mode: 'sweep' })
    }
  },
)

it('the last success of polls follows a clock that was set back', async () => {
  const test = await testEngine(tenant)
  await test.run('users', 'sweep')
  test.clock.jump(-dayMs)
  expect(ending(await test.run('users', 'poll'))).toBe('success')
  expect((await state(test, 'users')).pollSuccessAt).toBe(test.clock.now())
})

it.each(['poll', 'sweep'] as const)(
  'a %s that fails after the clock was set back leaves no success ahead of it, which would never look old',
  async (mode) => {
    const test = await testEngine(tenant)
    await test.run('users', 'sweep')
    test.clock.jump(-dayMs)
    test.sim.revokeToken('reader')
    expect(ending(await test.run('users', mode))).toBe('unauthorized')
    const { pollSuccessAt, sweepSuccessAt } = await state(test, 'users')
    expect(pollSuccessAt).toBeLessThan(test.clock.now())
    expect(sweepSuccessAt).toBeLessThan(test.clock.now())
  },
)
