import { expect, it } from 'vitest'
import { testEngine } from '../support/engine.ts'

it('writes a page although the next one fails, and continues after it', async () => {
  const test = await testEngine({
    sizes: { users: 23, documents: 4 },
    readings: { defaultPageSize: { users: 5 } },
    settings: { userDetails: { perRun: 0 } },
  })
  const mirrored = () => test.query('select count(*) as n from users')[0]?.['n']
  test.sim.faults.add({ path: '/api/public/users', page: 3, times: 5, effect: { kind: 'status', status: 500 } })
  expect(await test.run('users', 'full')).toMatchObject({ reason: 'server_error', pages: 2 })
  expect(mirrored()).toBe(10)
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', pages: 3 })
  expect(mirrored()).toBe(23)
})

it('sends nothing behind a page that breaks a rule', async () => {
  const test = await testEngine({ sizes: { users: 23, documents: 4 }, readings: { defaultPageSize: { users: 5 } } })
  test.sim.faults.add({ path: '/api/public/users', page: 2, effect: { kind: 'repeat-cursor' } })
  expect(await test.run('users', 'full')).toMatchObject({ reason: 'protocol' })
  expect(test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users')).toHaveLength(2)
})
