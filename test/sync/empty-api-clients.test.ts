import { expect, it } from 'vitest'
import { testEngine } from '../support/engine.ts'
import { accept, ending, everyRow, first, heldBack, live, theHold } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const path = '/api/public/api-clients'
const fivePages = { sizes: { apiClients: 24 }, readings: { defaultPageSize: { apiClients: 5 } }, settings }

it('an empty list is requested again after 1, 2 and 4 s, then held as suspect_empty until clients are listed', async () => {
  const test = await testEngine({ settings })
  await test.run('api-clients')
  const before = everyRow(test)['api_clients']
  const fault = test.sim.faults.add({ path, effect: { kind: 'empty' } })
  test.clock.sleeps.length = 0
  test.sim.requests.clear()
  for (let n = 1; n <= 3; n++) {
    const result = await test.run('api-clients')
    expect([result.outcome, result.reason]).toEqual(['failure', 'suspect_empty'])
    expect(test.sim.requests.count()).toBe(4 * n)
  }
  expect(test.clock.sleeps).toEqual([1000, 2000, 4000, 1000, 2000, 4000, 1000, 2000, 4000])
  expect(everyRow(test)['api_clients']).toEqual(before)
  expect(await heldBack(test)).toEqual(['api-clients suspect_empty 24'])
  const { id } = await theHold(test)
  await test.restart()
  await test.run('api-clients')
  expect((await theHold(test)).id).toBe(id)
  test.sim.faults.remove(fault.id)
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('accepting makes the empty list the truth with the very next run, until a full sync shows clients', async () => {
  const test = await testEngine({ settings })
  const everyClient = [...test.sim.primary['api-clients'].all()]
  await test.run('api-clients')
  test.sim.primary['api-clients'].removeWhere(1)
  await test.run('api-clients')
  await accept(test, await theHold(test))
  test.clock.sleeps.length = 0
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(test.clock.sleeps).toEqual([])
  expect(live(test, 'api-clients')).toBe(0)
  expect(await heldBack(test)).toEqual([])
  expect(ending(await test.run('api-clients'))).toBe('success')
  for (const client of everyClient) test.sim.primary['api-clients'].add(client)
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(live(test, 'api-clients')).toBe(24)
  test.sim.primary['api-clients'].removeWhere(1)
  expect(ending(await test.run('api-clients'))).toBe('suspect_empty')
  expect(live(test, 'api-clients')).toBe(24)
})

it('accepting an empty list removes no client that a later list lacks', async () => {
  const test = await testEngine({ settings })
  await test.run('api-clients')
  const fault = test.sim.faults.add({ path, effect: { kind: 'empty' } })
  await test.run('api-clients')
  await accept(test, await theHold(test))
  test.sim.faults.remove(fault.id)
  test.sim.primary['api-clients'].removeWhere(first(23))
  for (const reason of ['success', 'shrink_held']) {
    test.clock.advance(60_000)
    expect(ending(await test.run('api-clients'))).toBe(reason)
  }
  expect(live(test, 'api-clients')).toBe(24)
})

it('an empty later page that stays is suspect_empty where clients are missing, until a list returns them', async () => {
  const test = await testEngine(fivePages)
  await test.run('api-clients')
  // Page 3 is empty once and by three repeated requests.
  test.sim.faults.add({ path, page: 3, times: 4, effect: { kind: 'empty' } })
  test.clock.sleeps.length = 0
  expect(await test.run('api-clients')).toMatchObject({ reason: 'suspect_empty', counts: { removed: 0 } })
  expect(test.clock.sleeps).toEqual([1000, 2000, 4000])
  expect(await heldBack(test)).toEqual(['api-clients suspect_empty 14'])
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(live(test, 'api-clients')).toBe(24)
  expect(await heldBack(test)).toEqual([])
})

it.each([
  ['complete if a second reading ends so again', 9, 'success'],
  ['not complete if a second reading differs', 4, 'protocol'],
])('a first list with an announced page that stays empty is %s', async (_, times, expected) => {
  const test = await testEngine({ ...fivePages, readings: { defaultPageSize: { apiClients: 6 } } })
  test.sim.faults.add({ path, page: 3, times, effect: { kind: 'empty' } })
  test.sim.faults.add({ path, page: 4, effect: { kind: 'empty' } })
  test.sim.requests.clear()
  expect(ending(await test.run('api-clients'))).toBe(expected)
  expect(test.sim.requests.filter(({ cursor }) => cursor === null)).toHaveLength(2)
  const { completeStartedAt } = await test.mirror.syncState(test.engine.tenantId, 'api-clients')
  expect([completeStartedAt === null, live(test, 'api-clients')]).toEqual([expected !== 'success', 12])
})

it('accepting an announced empty page removes exactly the missing clients and completes that full sync', async () => {
  const test = await testEngine(fivePages)
  await test.run('api-clients')
  const fault = test.sim.faults.add({ path, page: 3, effect: { kind: 'empty' } })
  await test.run('api-clients')
  const before = await test.mirror.syncState(test.engine.tenantId, 'api-clients')
  await accept(test, await theHold(test))
  test.clock.advance(60_000)
  expect(await test.run('api-clients')).toMatchObject({ outcome: 'success', counts: { removed: 14 } })
  expect(live(test, 'api-clients')).toBe(10)
  expect(await heldBack(test)).toEqual([])
  const after = await test.mirror.syncState(test.engine.tenantId, 'api-clients')
  expect(after.completeStartedAt).toBeGreaterThan(before.completeStartedAt ?? 0)
  // The decision covers those clients only, and no list without any client.
  test.sim.faults.remove(fault.id)
  test.sim.faults.add({ path, page: 2, effect: { kind: 'empty' } })
  expect(ending(await test.run('api-clients'))).toBe('suspect_empty')
  expect(await heldBack(test)).toEqual(['api-clients suspect_empty 5'])
  test.sim.faults.clear()
  test.sim.faults.add({ path, effect: { kind: 'empty' } })
  expect(ending(await test.run('api-clients'))).toBe('suspect_empty')
  expect(await heldBack(test)).toEqual(['api-clients suspect_empty 10'])
  expect(live(test, 'api-clients')).toBe(10)
})

it.each([1, 2, 3])(
  'page %i that begins the list again stops the full sync, which then removes nothing',
  async (page) => {
    const test = await testEngine(fivePages)
    await test.run('api-clients')
    test.sim.primary['api-clients'].removeWhere(first(2))
    test.sim.faults.add({ path, page: page + 1, effect: { kind: 'ignore-cursor' } })
    for (let n = 0; n < 3; n++) {
      const result = await test.run('api-clients')
      expect([result.outcome, result.reason]).toEqual(['failure', 'invalid_cursor'])
    }
    expect(live(test, 'api-clients')).toBe(24)
    test.sim.faults.clear()
    for (let n = 0; n < 2; n++) {
      test.clock.advance(60_000)
      expect(ending(await test.run('api-clients'))).toBe('success')
    }
    expect(live(test, 'api-clients')).toBe(22)
    expect(test.sim.violations).toEqual([])
  },
)

it('a last page that shows nothing new stops the full sync: the cursor may have been ignored', async () => {
  const test = await testEngine({
    problems: false,
    sizes: { apiClients: 11 },
    readings: { defaultPageSize: { apiClients: 10 }, cursorKind: { apiClients: 'offset' } },
    settings,
  })
  const end = test.sim.onRequest(({ cursor, endpoint }) => {
    if (endpoint !== path || cursor === null) return
    end()
    const last = [...test.sim.primary['api-clients'].all()].at(-1)
    test.sim.primary['api-clients'].remove(last?.clientId ?? '')
    test.sim.primary['api-clients'].add({ createdAt: 0 })
  })
  expect(ending(await test.run('api-clients'))).toBe('invalid_cursor')
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(live(test, 'api-clients')).toBe(11)
})

it('an empty list of API clients proves no tenant', async () => {
  const test = await testEngine({ settings, serves: ['users', 'api-clients'] })
  await test.runAll('full')
  test.sim.faults.add({ path, effect: { kind: 'empty' } })
  await test.restart()
  test.clock.sleeps.length = 0
  expect(ending(await test.run('users'))).toBe('suspect_empty')
  expect(test.clock.sleeps).toEqual([1000, 2000, 4000])
  expect(await heldBack(test)).toEqual(['api-clients suspect_empty 24'])
})
