import { expect, it } from 'vitest'
import { testEngine } from '../support/engine.ts'

it('never stores a cursor of the API clients and never sends one of another run', async () => {
  const test = await testEngine({ sizes: { apiClients: 50 }, readings: { lastPageCursor: { apiClients: true } } })
  for (const page of [1, 2, 3, 4]) {
    const stop = new AbortController()
    const end = test.sim.onRequest((request) => {
      if (request.endpoint === '/api/public/api-clients' && request.page === page) stop.abort()
    })
    const { outcome } = await test.run('api-clients', 'full', stop.signal)
    expect(outcome).toBe(page === 4 ? 'success' : 'failure')
    end()
  }
  expect(test.query("select cursor from sync_states where resource = 'api-clients'")).toEqual([{ cursor: null }])
  await test.restart()
  await test.run('api-clients')
  expect(test.sim.violations).toEqual([])
})
