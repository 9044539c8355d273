import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import { isFeed, ways } from '../support/descriptors.ts'
import { scriptedResources, type TestEngine, testEngine } from '../support/engine.ts'
import { ending, everyRow, heldBack, live, synced } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const unbound = { cursorBoundToTenant: false } as const
const list = (test: TestEngine) => test.sim.requests.filter(({ method }) => method === 'GET')

const signs = ['another token', 'a restart', 'another token, with cursors not bound to the tenant'] as const

it.each(ways.flatMap((way) => signs.slice(0, isFeed(way[0]) ? 3 : 2).map((sign) => [...way, sign] as const)))(
  'another tenant is noticed by the first run: %s %s, after %s',
  async (resource, mode, sign) => {
    const test = await synced({ readings: { cursorBoundToTenant: sign === 'another token' } })
    const before = everyRow(test)
    const { cursor: cursorBefore } = await test.mirror.syncState(test.engine.tenantId, resource)
    if (sign === 'a restart') {
      test.sim.swapTenant('reader')
      await test.restart()
    } else test.useToken(test.sim.tokens.secondReader)
    const result = await test.run(resource, mode)
    expect([result.outcome, result.reason]).toEqual(['failure', 'tenant_changed'])
    expect(await heldBack(test)).toEqual([expect.stringMatching(/^all tenant_changed \d+$/)])
    expect(everyRow(test)).toEqual(before)
    const { cursor, incrementalPaused } = await test.mirror.syncState(test.engine.tenantId, resource)
    expect([cursor, incrementalPaused]).toEqual([cursorBefore, false])
    for (const [other, otherMode] of ways) expect(ending(await test.run(other, otherMode))).toBe('tenant_changed')
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
    if (interval === 1) test.engine.probeSoon()
    else test.clock.advance(5 * minuteMs)
  }
  test.useToken(test.sim.tokens.reader)
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
  for (const [resource, mode] of own) expect(ending(await test.run(resource, mode))).toBe('success')
})

it('a detail read under another tenant’s token writes nothing', async () => {
  const test = await testEngine({ sizes: { users: 60 }, settings: { userDetails: { perRun: 60, concurrency: 1 } } })
  const end = test.sim.onRequest(({ endpoint }) => {
    if (endpoint !== '/api/public/users/{id}') return
    end()
    // The same id in the other tenant is somebody else, with a role of the same name.
    for (const { userId, roleName } of test.sim.primary.users.all())
      test.sim.second.users.add({ userId, raw: { roleName } })
    test.useToken(test.sim.tokens.secondReader)
  })
  await test.run('users', 'full')
  const ofSecond = [...test.sim.second.roles.all()].map(({ roleId }) => roleId)
  const read = test.query('select role_id from users where role_id is not null').map((row) => Number(row['role_id']))
  expect(read.filter((roleId) => ofSecond.includes(roleId))).toEqual([])
})

it('a renewal by the same OAuth client is no change and costs no check', async () => {
  const sim = await testEngine({ settings })
  const { clientId, clientSecret } = sim.sim.credentials.reader
  sim.useToken(clientSecret)
  await sim.restart({
    auth: {
      token: {
        oauth2: {
          tokenUrl: sim.sim.tokenUrl,
          clientId,
          clientSecret: { env: 'TOKEN' },
          scope: null,
          parameters: {},
          clientAuth: 'body' as const,
        },
      },
    },
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
  test.sim.credentials.reader.isRevoked = true
  expect(ending(await test.run('roles'))).toBe('unauthorized')
  test.sim.credentials.reader.isRevoked = false
  test.sim.swapTenant('reader')
  test.clock.advance(5 * minuteMs)
  expect(ending(await test.run('roles'))).toBe('tenant_changed')
  expect(everyRow(test)).toEqual(before)
})
