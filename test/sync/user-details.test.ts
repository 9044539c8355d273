import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { seenChanges } from '../support/events.ts'
import { ofData } from '../support/of-data.ts'

const oneOf = '/api/public/users/{id}'

async function engine(perRun: number, users: number, options: TestEngineOptions = {}): Promise<TestEngine> {
  const test = await testEngine({
    problems: false,
    sizes: { users, documents: 3 },
    ...options,
    settings: { userDetails: { perRun, concurrency: 1 } },
  })
  await test.run('roles')
  return test
}

/** Runs and gives the users that were asked for by id, in order. */
async function asked(test: TestEngine, mode: 'incremental' | 'full'): Promise<number[]> {
  test.sim.requests.clear()
  test.clock.advance(hourMs)
  expect(await test.run('users', mode)).toMatchObject({ outcome: 'success' })
  return test.sim.requests
    .filter(({ endpoint }) => endpoint === oneOf)
    .map(({ path }) => Number(path.split('/').at(-1)))
}

const ids = ({ sim }: TestEngine) => [...sim.primary.users.all()].map(({ userId }) => userId).toSorted((a, b) => a - b)
const roleIdOf = (test: TestEngine, userId: number) =>
  test.query('select role_id from users where user_id = ?', userId)[0]?.['role_id']

it('reads new users within the budget of the run, then all in rotation, in the order of their ids', async () => {
  const test = await engine(4, 10)
  const all = ids(test)
  expect(await asked(test, 'full')).toEqual(all.slice(0, 4))
  expect(await asked(test, 'full')).toEqual(all.slice(4, 8))
  expect(await asked(test, 'full')).toEqual([...all.slice(8), ...all.slice(0, 2)])
  expect(test.query('select count(*) as n from users where role_id is null')).toEqual([{ n: 0 }])
})

it('drops a known role in the transaction that changes its name, and fills it again when the user is read', async () => {
  const test = await engine(3, 12)
  for (const _ of [1, 2, 3, 4]) await asked(test, 'full')
  const user = ids(test)[7] ?? 0
  const role = test.sim.primary.roles.add({ name: 'Brand new' })
  const before = roleIdOf(test, user)
  test.sim.primary.users.update(user, { roleId: role.roleId })
  const broken = test.sim.faults.add({ path: oneOf, effect: { kind: 'status', status: 500 } })
  await asked(test, 'full')
  expect(test.query('select role_id, role_name from users where user_id = ?', user)).toEqual([
    { role_id: null, role_name: 'Brand new' },
  ])
  test.sim.faults.remove(broken.id)
  for (const _ of [1, 2, 3, 4]) await asked(test, 'full')
  expect(roleIdOf(test, user)).toBe(role.roleId)
  const history = await test.mirror.records(test.engine.tenantId).history('users', `${user}`)
  expect(history.map(({ field, before: from, after }) => [field, from, after])).toEqual([
    ['roleName', 'Member', 'Brand new'],
    ['roleId', before, role.roleId],
  ])
})

it('takes no role from a detail whose role name is not that of the list, and asks again', async () => {
  const test = await engine(5, 1)
  const [user = 0] = ids(test)
  const stale = test.sim.faults.add({
    path: oneOf,
    effect: ofData((data: object) => ({ ...data, roleId: 99, roleName: 'Former' })),
  })
  expect(await asked(test, 'full')).toEqual([user])
  expect(await asked(test, 'full')).toEqual([user])
  expect(roleIdOf(test, user)).toBeNull()
  expect(test.observed.events).toEqual(['users detail_differs', 'users detail_differs'])
  test.sim.faults.remove(stale.id)
  expect(await asked(test, 'full')).toEqual([user])
  expect(roleIdOf(test, user)).not.toBeNull()
})

it.each([404, 500, 400])('fails no run and changes nothing when a detail is answered by %i', async (status) => {
  const test = await engine(5, 5)
  const [odd = 0] = ids(test)
  test.sim.faults.add({ path: `/api/public/users/${odd}`, effect: { kind: 'status', status } })
  expect(await asked(test, 'full')).toContain(odd)
  expect(test.query('select count(*) as n from users where role_id is null and removed_at is null')).toEqual([{ n: 1 }])
  expect(test.query('select count(*) as n from users where missing_since is not null')).toEqual([{ n: 0 }])
  expect(seenChanges(test.query)).toEqual([])
})

it('continues the rotation past users whose details are never readable, over restarts', async () => {
  const test = await engine(4, 10)
  const all = ids(test)
  const dead = all.slice(0, 6)
  for (const userId of dead) {
    const effect = { kind: 'body', status: userId % 2 === 0 ? 500 : 200, body: 'Sorry' } as const
    test.sim.faults.add({ path: `/api/public/users/${userId}`, effect })
  }
  await asked(test, 'full')
  const rounds: number[][] = []
  for (const _ of [1, 2, 3]) {
    await test.restart()
    rounds.push([...new Set(await asked(test, 'full'))])
  }
  expect(new Set(rounds.flat())).toEqual(new Set(all))
})

it('continues the rotation at the user at which a run stopped', async () => {
  const test = await engine(4, 10)
  const all = ids(test)
  await asked(test, 'full')
  const headers = { 'retry-after': '120' }
  test.sim.faults.add({ path: oneOf, nth: 3, effect: { kind: 'status', status: 429, headers } })
  expect(await asked(test, 'full')).toEqual(all.slice(4, 7))
  expect(await asked(test, 'full')).toEqual(all.slice(6))
})
