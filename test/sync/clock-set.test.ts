import { expect, it } from 'vitest'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'

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

it('the duration of a full sync holds the waits between its runs, and no setting of the clock within them', async () => {
  const test = await testEngine(tenant)
  const stop = new AbortController()
  at(test, 'users', 2, () => {
    test.clock.advance(3 * minuteMs)
    test.clock.jump(-400 * dayMs)
  })
  at(test, 'users', 4, () => stop.abort())
  expect(ending(await test.run('users', 'full', stop.signal))).toBe('aborted')
  await test.restart()
  test.clock.advance(hourMs)
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect((await state(test, 'users')).completeDurationMs).toBe(hourMs + 3 * minuteMs)
})

it.each([-dayMs, dayMs])(
  'a cursor refused again after the clock was set by %i ms makes a full sync at once',
  async (ms) => {
    const test = await testEngine(tenant)
    await test.run('users', 'full')
    for (const jump of [0, ms]) {
      test.clock.jump(jump)
      test.sim.invalidateCursors()
      expect(await test.run('users', 'incremental')).toMatchObject({ outcome: 'success', mode: 'full' })
    }
  },
)

it.each(['incremental', 'full'] as const)(
  'a %s that fails after the clock was set back leaves no success ahead of it, which would never look old',
  async (mode) => {
    const test = await testEngine(tenant)
    await test.run('users', 'full')
    test.clock.jump(-dayMs)
    test.sim.credentials.reader.isRevoked = true
    expect(ending(await test.run('users', mode))).toBe('unauthorized')
    const { incrementalSuccessAt, fullSuccessAt } = await state(test, 'users')
    expect(incrementalSuccessAt).toBeLessThan(test.clock.now())
    expect(fullSuccessAt).toBeLessThan(test.clock.now())
  },
)
