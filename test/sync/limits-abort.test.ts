import { expect, it } from 'vitest'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending, live } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }

/** Aborts the run when the request of this page arrives. */
function abortAt(test: TestEngine, page: number): AbortSignal {
  const controller = new AbortController()
  const end = test.sim.onRequest((request) => {
    if (request.page !== page) return
    end()
    controller.abort(new DOMException('The scheduler is stopping', 'AbortError'))
  })
  return controller.signal
}

it('an aborted run is reported as aborted and does not mark the resource as failing', async () => {
  const test = await testEngine({ settings, sizes: { users: 200 } })
  await test.run('users', 'full')
  const before = await test.mirror.syncState(test.engine.tenantId, 'users')
  test.clock.advance(60_000)
  const result = await test.run('users', 'full', abortAt(test, 3))
  expect([result.outcome, result.reason]).toEqual(['failure', 'aborted'])
  const after = await test.mirror.syncState(test.engine.tenantId, 'users')
  expect(after).toEqual({ ...before, fullAttemptAt: test.clock.now() })
})

it('an abort while missing users are confirmed removes no further one and finishes later', async () => {
  const test = await testEngine({ settings, sizes: { users: 100 } })
  await test.run('users', 'full')
  let left = 4
  test.sim.primary.removeUsers(() => left-- > 0)
  const controller = new AbortController()
  const end = test.sim.onRequest(({ endpoint }) => {
    if (endpoint !== '/api/public/users/{id}') return
    end()
    controller.abort()
  })
  expect(ending(await test.run('users', 'full', controller.signal))).toBe('aborted')
  expect(live(test, 'users')).toBe(100)
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(live(test, 'users')).toBe(96)
})
