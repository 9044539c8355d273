import { expect, it } from 'vitest'
import { type TestEngine, testEngine } from '../support/engine.ts'

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
