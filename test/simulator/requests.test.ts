import { expect, it } from 'vitest'
import { call, fullSync, start } from './support.ts'

it('logs every request with its token name, page, cursor and status, but no token', async () => {
  const simulator = await start()
  const { answers } = await fullSync(simulator, '/users?limit=100')
  await call(simulator, '/users/1', { token: 'creator' })
  await call(simulator, '/nothing', { token: null })
  expect(
    simulator.requests
      .all()
      .map(({ seq, endpoint, token, tenant, page, status }) => [seq, endpoint, token, tenant, page, status]),
  ).toEqual([
    [1, '/api/public/users', 'reader', 'primary', 1, 200],
    [2, '/api/public/users', 'reader', 'primary', 2, 200],
    [3, '/api/public/users', 'reader', 'primary', 3, 200],
    [4, '/api/public/users/{id}', 'creator', 'primary', 1, 404],
    [5, null, null, null, 1, 404],
  ])
  expect(simulator.requests.all()[1]).toMatchObject({
    query: { limit: '100', cursor: answers[0]?.body.pagination?.nextCursor },
    cursor: answers[0]?.body.pagination?.nextCursor,
  })
  expect(JSON.stringify(simulator.requests.all())).not.toContain(simulator.tokens.reader)
})
