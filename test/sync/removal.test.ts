import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { bothSides, type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { seenChanges } from '../support/events.ts'
import { ofData } from '../support/of-data.ts'
import { live } from '../support/sync-queries.ts'

const listOf = '/api/public/users'
const oneOf = '/api/public/users/{id}'
const tenant: TestEngineOptions = { problems: false, sizes: { users: 60, documents: 60, apiClients: 30 } }

async function fullySynced(options: TestEngineOptions = {}): Promise<TestEngine> {
  const test = await testEngine({
    ...tenant,
    ...options,
    settings: { userDetails: { perRun: 0 }, ...options.settings },
  })
  await test.runAll('full')
  test.clock.advance(hourMs)
  test.sim.requests.clear()
  return test
}

const userIds = ({ sim }: TestEngine) => [...sim.primary.users.all()].map(({ userId }) => userId)
const documentIds = ({ sim }: TestEngine) => [...sim.primary.documents.all()].map(({ fileId }) => fileId)
const lookUps = ({ sim }: TestEngine) =>
  sim.requests.filter(({ endpoint }) => endpoint === oneOf).map(({ path }) => Number(path.split('/').at(-1)))
/** Without those for users that the list shows. */
const lookUpsOf = (test: TestEngine, ids: readonly number[]) => lookUps(test).filter((id) => ids.includes(id))
/** How often the list of users was read to its end: a page that changed is read more than once. */
const passesOf = ({ sim }: TestEngine) => {
  const cursors = sim.requests.filter(({ path }) => path === listOf).map(({ cursor }) => cursor)
  return Math.min(...cursors.map((one) => cursors.filter((cursor) => cursor === one).length))
}
/** Those of another full sync, an hour later. */
const passesOfNext = async (test: TestEngine) => {
  test.sim.requests.clear()
  test.clock.advance(hourMs)
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success' })
  return passesOf(test)
}
const missing = (test: TestEngine) =>
  test.query('select user_id from users where missing_since is not null order by user_id').map((row) => row['user_id'])

/** Takes these users out of the answers of the list, while they exist. */
function skipInList(test: TestEngine, hidden: readonly number[], times?: number): void {
  test.sim.faults.add({
    path: listOf,
    ...(times === undefined ? {} : { times }),
    effect: ofData((data: { userId: number }[]) => data.filter(({ userId }) => !hidden.includes(userId))),
  })
}

it("a client that another one's removal moved past the cursor is read at once", async () => {
  const test = await fullySynced()
  const [first, ...others] = [...test.sim.primary['api-clients'].all()]
  const end = test.sim.onRequest(({ endpoint, cursor }) => {
    if (endpoint !== '/api/public/api-clients' || cursor === null) return
    end()
    test.sim.primary['api-clients'].remove(first?.clientId ?? '')
    for (const { clientId } of others) test.sim.primary['api-clients'].update(clientId, { name: 'Renamed' })
  })
  await test.run('api-clients')
  // Those of the first page were read before they were renamed.
  expect(test.query("select 1 from api_clients where name = 'Renamed'")).toHaveLength(10)
})

it('removes a missing user when the tenant denies its id, and records the request', async () => {
  const test = await fullySynced()
  const [gone = 0, alsoGone = 0] = userIds(test)
  test.sim.primary.users.removeWhere(({ userId }) => userId === gone || userId === alsoGone)
  const { outcome, counts } = await test.run('users', 'full')
  expect([outcome, counts.removed]).toEqual(['success', 2])
  expect(lookUps(test)).toEqual([gone, alsoGone])
  expect(live(test, 'users')).toBe(58)
  expect(test.observed.events).toEqual([])
  const removals = seenChanges(test.query).filter(({ kind }) => kind === 'removed')
  expect(removals).toEqual(
    [gone, alsoGone].map((id) =>
      expect.objectContaining({
        key: `${id}`,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: test.clock.now(),
      }),
    ),
  )
  expect(new Set(removals.map((row) => row.requestId)).size).toBe(2)
})

it('full syncs once more at once when the full sync skipped a user that exists, which keeps its values until a list shows it', async () => {
  const test = await fullySynced()
  const [, skipped = 0] = userIds(test)
  skipInList(test, [skipped], 2)
  test.sim.primary.users.update(skipped, { firstName: 'Seen by id' })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success' })
  expect(test.observed.events).toEqual(['users skipped_row', 'users detail_differs'])
  expect(lookUps(test)).toEqual([skipped])
  expect(passesOf(test)).toBe(2)
  expect(missing(test)).toEqual([])
  expect(test.query('select first_name from users where user_id = ?', skipped)).toEqual([{ first_name: 'Seen by id' }])
  expect(live(test, 'users')).toBe(60)
})

it('full syncs at once only for the first time that a user is skipped, until it is listed again', async () => {
  const test = await fullySynced()
  const [, skipped = 0] = userIds(test)
  const passes = () => passesOfNext(test)
  skipInList(test, [skipped])
  expect([await passes(), await passes()]).toEqual([2, 1])
  await test.restart()
  expect(await passes()).toBe(1)
  expect(test.observed.events).toEqual(Array(3).fill('users skipped_row'))
  test.sim.faults.clear()
  expect(await passes()).toBe(1)
  skipInList(test, [skipped])
  expect(await passes()).toBe(2)
  expect(missing(test)).toEqual([])
})

it('believes no 404 that does not come from the API itself', async () => {
  const test = await fullySynced()
  const [gone = 0] = userIds(test)
  test.sim.primary.users.remove(gone)
  test.sim.faults.add({ path: oneOf, effect: { kind: 'body', status: 404, body: '<h1>404 Not Found</h1>' } })
  await test.run('users', 'full')
  expect(missing(test)).toEqual([gone])
  expect(live(test, 'users')).toBe(60)
  const lines = test.observed.log.filter((line) => line.includes('could not be confirmed; they stay'))
  expect(lines).toEqual(['warn Missing records could not be confirmed; they stay'])
})

it('counts a malformed answer to the look-up as seen: the user is kept as last known, and quarantined', async () => {
  const test = await fullySynced()
  const [, odd = 0] = userIds(test)
  skipInList(test, [odd], 2)
  test.sim.primary.users.update(odd, { raw: { mfaStatus: 'false' } })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success' })
  expect(missing(test)).toEqual([])
  expect(test.observed.events).toContain('users skipped_row')
  expect(test.query('select key from quarantine order by resource, key')).toEqual([{ key: `${odd}` }])
  expect(live(test, 'users')).toBe(60)
})

const inTurn = [
  [0, 1],
  [2, 3],
  [4, 0],
  [1, 2],
]

it.each([
  ['an error', { kind: 'status', status: 500 }, inTurn],
  ['no envelope', { kind: 'body', status: 200, body: '{}' }, inTurn],
  ['a refusal', { kind: 'status', status: 403 }, [[0], [1], [2], [3, 4]]],
] as const)(
  'confirms the others although the look-up of some always gives %s, over restarts',
  async (_, effect, expected) => {
    const test = await fullySynced({ settings: { removals: { confirmPerRun: 2 } } })
    const gone = userIds(test).slice(10, 15)
    const dead = gone.slice(0, 3)
    test.sim.primary.users.removeWhere(({ userId }) => gone.includes(userId))
    for (const userId of dead) test.sim.faults.add({ path: `${listOf}/${userId}`, effect })
    const rounds: number[][] = []
    for (const _ of [1, 2, 3, 4]) {
      test.sim.requests.clear()
      await test.run('users', 'full')
      rounds.push([...new Set(lookUpsOf(test, gone))])
      test.clock.advance(hourMs)
      await test.restart()
    }
    expect(rounds).toEqual(expected.map((round) => round.map((n) => gone[n])))
    expect(missing(test)).toEqual(dead)
    expect(live(test, 'users')).toBe(58)
  },
)

it('removes documents after two complete full syncs in a row without them, and never by incremental syncs', async () => {
  const test = await fullySynced()
  const [gone = '', , back = ''] = documentIds(test)
  test.sim.primary.documents.remove(gone)
  expect(await test.run('documents', 'full')).toMatchObject({ counts: { removed: 0 } })
  for (const _ of [1, 2, 3])
    expect(await test.run('documents', 'incremental')).toMatchObject({ counts: { removed: 0 } })
  expect(live(test, 'documents')).toBe(60)
  test.sim.primary.documents.remove(back)
  expect(await test.run('documents', 'full')).toMatchObject({ counts: { removed: 1 } })
  expect(live(test, 'documents')).toBe(59)
  test.sim.primary.documents.add({ fileId: back, uploadStatus: 'Completed' })
  await test.run('documents', 'full')
  test.sim.primary.documents.remove(back)
  expect(await test.run('documents', 'full')).toMatchObject({ counts: { removed: 0 } })
  expect(await test.run('documents', 'full')).toMatchObject({ counts: { removed: 1 } })
  const { mirrored, truth } = await bothSides(test, ['documents'])
  expect(mirrored).toEqual(truth)
})

it('removes API clients after two complete full syncs a minute apart without them; a broken full sync counts for nothing', async () => {
  const test = await fullySynced()
  const client = test.sim.primary['api-clients'].add()
  await test.run('api-clients')
  test.sim.primary['api-clients'].remove(client.clientId)
  test.clock.advance(60_000)
  expect(await test.run('api-clients')).toMatchObject({ counts: { removed: 0 } })
  test.sim.faults.add({ path: '/api/public/api-clients', page: 2, effect: { kind: 'status', status: 500 } })
  expect(await test.run('api-clients')).toMatchObject({ outcome: 'failure', counts: { removed: 0 } })
  test.sim.faults.clear()
  expect(await test.run('api-clients')).toMatchObject({ counts: { removed: 0 } })
  expect(live(test, 'api-clients')).toBe(31)
  test.clock.advance(60_000)
  expect(await test.run('api-clients')).toMatchObject({ counts: { removed: 1 } })
})

it('removes roles and permissions at once and takes them back when they return', async () => {
  const test = await fullySynced()
  const role = test.sim.primary.roles.add({ name: 'Passing' })
  const permission = test.sim.primary.permissions.add({ code: 'Passing' })
  for (const resource of ['roles', 'permissions'] as const) {
    expect(await test.run(resource)).toMatchObject({ counts: { created: 1 } })
  }
  test.sim.primary.roles.remove(role.roleId)
  test.sim.primary.permissions.remove(permission.permissionId)
  for (const resource of ['roles', 'permissions'] as const) {
    expect(await test.run(resource)).toMatchObject({ counts: { removed: 1 } })
  }
  test.sim.primary.roles.add({ ...role, name: 'Passing again' })
  expect(await test.run('roles')).toMatchObject({ counts: { created: 1 } })
  const history = await test.mirror.records(test.engine.tenantId).history('roles', `${role.roleId}`)
  expect(history.map(({ kind, field, before, after }) => [kind, field, before, after])).toEqual([
    ['created', null, null, null],
    ['removed', null, null, null],
    ['returned', null, null, null],
    ['changed', 'name', 'Passing', 'Passing again'],
  ])
})

it('leaves a user missing whom only the look-up returns, with other values, until a list returns him', async () => {
  const test = await fullySynced()
  const [, skipped = 0] = userIds(test)
  const stored = () => test.query('select first_name, mfa_status from users where user_id = ?', skipped)
  const [before] = stored()
  skipInList(test, [skipped])
  test.sim.primary.users.update(skipped, { firstName: 'Seen by id' })
  for (let n = 0; n < 3; n++) {
    expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
    expect([missing(test), stored()]).toEqual([[skipped], [before]])
    expect(passesOf(test)).toBe(n === 0 ? 2 : 1)
    test.sim.requests.clear()
  }
  test.sim.faults.clear()
  await test.run('users', 'full')
  expect([missing(test), stored()]).toEqual([[], [{ ...before, first_name: 'Seen by id' }]])
})
