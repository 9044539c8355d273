import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { anonymous, identifying, isFeed, ways } from '../support/descriptors.ts'
import { scriptedResources, type TestEngine, testEngine } from '../support/engine.ts'
import { seenChanges } from '../support/events.ts'
import { ofData } from '../support/of-data.ts'
import { ending, everyRow, heldBack, live, synced } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const unbound = { cursorBoundToTenant: false } as const
const list = (test: TestEngine) => test.sim.requests.filter(({ method }) => method === 'GET')

it.each(ways.flatMap((way) => (isFeed(way[0]) ? [true, false] : [true]).map((bound) => [...way, bound] as const)))(
  'another tenant behind another token is noticed by the first run: %s %s, cursors bound to the tenant: %s',
  async (resource, mode, cursorBoundToTenant) => {
    const test = await synced({ readings: { cursorBoundToTenant } })
    const before = everyRow(test)
    const { cursor: cursorBefore } = await test.mirror.syncState(test.engine.tenantId, resource)
    test.useToken(test.sim.tokens.secondReader)
    const result = await test.run(resource, mode)
    expect([result.outcome, result.reason]).toEqual(['failure', 'tenant_changed'])
    expect(await heldBack(test)).toEqual([expect.stringMatching(/^all tenant_changed \d+$/)])
    expect(everyRow(test)).toEqual(before)
    const { cursor, resetFullSyncAt, incrementalPaused } = await test.mirror.syncState(test.engine.tenantId, resource)
    expect([cursor, resetFullSyncAt, incrementalPaused]).toEqual([cursorBefore, null, false])
    for (const [other, otherMode] of ways) expect(ending(await test.run(other, otherMode))).toBe('tenant_changed')
    expect(everyRow(test)).toEqual(before)
  },
)

it.each(ways)(
  'another tenant behind the same token is noticed after a restart by the first run: %s %s',
  async (resource, mode) => {
    const test = await synced({ readings: unbound })
    const before = everyRow(test)
    test.sim.swapTenant('reader')
    await test.restart()
    expect(ending(await test.run(resource, mode))).toBe('tenant_changed')
    expect(await heldBack(test)).toEqual([expect.stringMatching(/^all tenant_changed \d+$/)])
    expect(everyRow(test)).toEqual(before)
  },
)

it.each([true, false])(
  'a token of another tenant in the middle of a full sync is noticed between two pages, cursors bound: %s',
  async (cursorBoundToTenant) => {
    const test = await testEngine({ settings, sizes: { users: 300 }, readings: { cursorBoundToTenant } })
    await test.run('api-clients')
    const end = test.sim.onRequest(({ page }) => {
      if (page !== 3) return
      end()
      test.useToken(test.sim.tokens.secondReader)
    })
    expect(ending(await test.run('users', 'full'))).toBe('tenant_changed')
    expect(live(test, 'users')).toBe(150)
    expect(test.query('select * from users where user_id > 400000000')).toEqual([])
    test.useToken(test.sim.tokens.reader)
    test.clock.advance(5 * minuteMs)
    expect(ending(await test.run('users', 'full'))).toBe('success')
    expect(live(test, 'users')).toBe(300)
  },
)

it('a tenant on hold is probed once an interval only, and lifts by itself when the old one is back', async () => {
  const test = await synced({ serves: scriptedResources })
  const own = ways.filter(([resource]) => test.engine.resources.includes(resource))
  test.useToken(test.sim.tokens.secondReader)
  await test.run('users', 'full')
  test.clock.advance(5 * minuteMs)
  for (let interval = 0; interval < 3; interval++) {
    test.sim.requests.clear()
    for (let n = 0; n < 3; n++) {
      for (const [resource, mode] of own) expect(ending(await test.run(resource, mode))).toBe('tenant_changed')
    }
    expect(list(test).map(({ path }) => path)).toEqual(['/api/public/api-clients', '/api/public/documents'])
    test.clock.advance(5 * minuteMs)
  }
  test.useToken(test.sim.tokens.reader)
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
  for (const [resource, mode] of own) expect(ending(await test.run(resource, mode))).toBe('success')
})

it('a 404 that another tenant’s token received removes no user', async () => {
  const test = await synced({ sizes: { users: 120 }, readings: unbound })
  const hidden = [...test.sim.state().users()].slice(10, 13).map(({ userId }) => userId)
  test.sim.faults.add({
    path: '/api/public/users',
    effect: ofData((data: { userId: number }[]) => data.filter(({ userId }) => !hidden.includes(userId))),
  })
  // The last list request is the incremental sync from the cursor of before; then the missing are confirmed one by one.
  const lastPage = Math.ceil(120 / 50)
  let pages = 0
  const end = test.sim.onRequest(({ endpoint }) => {
    if (endpoint !== '/api/public/users' || ++pages <= lastPage) return
    end()
    test.useToken(test.sim.tokens.secondReader)
  })
  await test.run('users', 'full')
  const lookups = test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users/{id}')
  expect(lookups.map(({ token, status }) => [token, status])).toEqual([['secondReader', 404]])
  expect(live(test, 'users')).toBe(120)
  expect(ending(await test.run('users', 'full'))).toBe('tenant_changed')
  test.useToken(test.sim.tokens.reader)
  test.sim.faults.clear()
  test.clock.advance(5 * minuteMs)
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(live(test, 'users')).toBe(120)
  expect(seenChanges(test.query).filter(({ kind }) => kind === 'removed')).toEqual([])
})

it('a detail read under another tenant’s token writes nothing', async () => {
  const test = await testEngine({ sizes: { users: 60 }, settings: { userDetails: { perRun: 60, concurrency: 1 } } })
  const end = test.sim.onRequest(({ endpoint }) => {
    if (endpoint !== '/api/public/users/{id}') return
    end()
    const [first] = test.sim.state('second').users()
    const like = first === undefined ? {} : { email: first.email, createdAt: first.createdAt }
    // The same id in the other tenant is somebody else.
    for (const { userId } of test.sim.state().users()) test.sim.second.addUser({ ...like, userId })
    test.useToken(test.sim.tokens.secondReader)
  })
  await test.run('users', 'full')
  const names = test.query('select email from users').map(({ email }) => email)
  expect(names.filter((email) => !String(email).endsWith('@primary.example'))).toEqual([])
})

it('a renewal by the same OAuth client is no change and costs no check', async () => {
  const sim = await testEngine({ settings })
  const { clientId, clientSecret } = sim.sim.credentials.reader
  sim.useToken(clientSecret)
  await sim.restart({
    auth: { token: { oauth2: { tokenUrl: sim.sim.tokenUrl, clientId, clientSecret: { env: 'TOKEN' }, scope: null } } },
  })
  for (const result of await sim.runAll('full')) expect(ending(result)).toBe('success')
  const tokens = () => sim.sim.requests.filter(({ path }) => path === '/oauth/token').length
  for (let n = 1; n <= 3; n++) {
    sim.clock.advance(5 * minuteMs)
    sim.sim.requests.clear()
    expect(ending(await sim.run('roles'))).toBe('success')
    expect(list(sim).map(({ path }) => path)).toEqual(['/api/public/roles'])
  }
  expect(tokens()).toBeLessThanOrEqual(1)
})

it('a 401 that went away leads to the check, also for the same token', async () => {
  const test = await synced({ readings: unbound })
  const before = everyRow(test)
  test.sim.revokeToken('reader')
  expect(ending(await test.run('roles'))).toBe('unauthorized')
  test.sim.restoreToken('reader')
  test.sim.swapTenant('reader')
  test.clock.advance(5 * minuteMs)
  expect(ending(await test.run('roles'))).toBe('tenant_changed')
  expect(everyRow(test)).toEqual(before)
})

it('first pages that cannot be read for other reasons fail the cycle with that reason, and nothing is committed', async () => {
  const test = await synced()
  const before = everyRow(test)
  await test.restart()
  const faults = identifying.map(({ path }) => test.sim.faults.add({ path, effect: { kind: 'status', status: 400 } }))
  test.sim.primary.addRole()
  for (const { name } of anonymous) expect(ending(await test.run(name))).toBe('client_error')
  expect(everyRow(test)).toEqual(before)
  expect(await heldBack(test)).toEqual([])
  for (const { id } of faults) test.sim.faults.remove(id)
  expect(ending(await test.run('roles'))).toBe('success')
})

it('the documents decide where every API client was rotated, page by page', async () => {
  const test = await synced({ serves: scriptedResources })
  test.sim.primary.removeApiClients(1)
  for (let n = 0; n < 25; n++) test.sim.primary.addApiClient({ createdAt: test.clock.now() })
  await test.restart()
  test.sim.requests.clear()
  expect(ending(await test.run('roles'))).toBe('success')
  expect(list(test).map(({ path }) => path)).toEqual([
    '/api/public/roles',
    '/api/public/api-clients',
    '/api/public/api-clients',
    '/api/public/documents',
  ])
})
