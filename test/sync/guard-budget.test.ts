import { expect, it } from 'vitest'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { dayMs, hourMs } from '../../src/model/time.ts'
import { type GuardBudget, planRemovals } from '../../src/sync/removals/removals.ts'
import { type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { accept, ending, first, heldBack, live, theHold } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }

async function tenantOf(resource: ResourceName, sizes: TestEngineOptions['sizes']): Promise<TestEngine> {
  const test = await testEngine({ problems: false, settings, ...(sizes === undefined ? {} : { sizes }) })
  expect(ending(await test.run(resource, 'full'))).toBe('success')
  return test
}

const foreignClient = { createdAt: 0 }

/** A full sync every `everyMs` until `until` returns true; every outcome. */
async function fullSyncs(test: TestEngine, resource: ResourceName, count: number, everyMs: number): Promise<string[]> {
  const endings: string[] = []
  for (let n = 0; n < count; n++) {
    test.clock.advance(everyMs)
    endings.push(ending(await test.run(resource, 'full')))
  }
  return endings
}

type GuardCase = { live: number; due: number; dueNew?: number } & Partial<Omit<GuardBudget, 'base'>>

it.each([
  ['more than half of two or more', { live: 2, due: 2 }, true],
  ['half of two', { live: 2, due: 1 }, false],
  ['the only one', { live: 1, due: 1 }, false],
  ['five of six', { live: 6, due: 5 }, true],
  ['three of six', { live: 6, due: 3 }, false],
  ['three of six after one more', { live: 5, due: 3, removed: 1 }, true],
  ['one after two of a former four', { live: 2, due: 1, removed: 2 }, true],
  ['half of what a list of one grew to', { live: 6, due: 3, created: 5 }, false],
  ['one more of what a list of one grew to', { live: 3, due: 1, removed: 3, created: 5 }, true],
  ['the only one after its successor came', { live: 2, due: 1, created: 1 }, false],
  ['ten of a hundred', { live: 100, due: 10 }, false],
  ['one after ten of a hundred', { live: 90, due: 1, removed: 10 }, true],
  ['ten percent only by what came since', { live: 120, due: 11, created: 20 }, true],
  ['those alone that came since', { live: 7, due: 3, created: 3, dueNew: 3 }, false],
  ['few of many that came since', { live: 32, due: 2, created: 30, dueNew: 2 }, false],
  ['most of those that came since', { live: 32, due: 20, created: 30, dueNew: 20 }, true],
  ['most of the old ones and none of the new', { live: 34, due: 3, created: 30 }, true],
  [
    'half of the old ones after new ones came and went',
    { live: 6, due: 1, removed: 4, removedNew: 3, created: 6 },
    false,
  ],
  ['as many as took their place', { live: 12, due: 6, created: 6, replacing: 6 }, false],
  ['all in turn', { live: 7, due: 1, removed: 5, created: 6, replacing: 6 }, false],
] as [string, GuardCase, boolean][])('%s: held %#', (_, { live: rows, due, ...rest }: GuardCase, held) => {
  const { dueNew = 0, ...counted } = rest
  const absent = Array.from({ length: due }, (_, rid) => ({
    rid,
    key: String(rid),
    fullSyncs: 2,
    accepted: false,
    firstSeenAt: rid < dueNew ? 2 : 0,
  }))
  const budget = { base: { after: 1, until: 3 }, removed: 0, removedNew: 0, created: 0, replacing: 0, ...counted }
  const plan = planRemovals({ live: rows, absent }, 'two-full-syncs', { maxCount: 5, maxPercent: 10 }, budget)
  expect(plan.held.length > 0).toBe(held)
})

it.each([
  ['what is gone stays the same', 0],
  ['one more goes each time', 1],
])('records that come while removals are held do not lift the hold: %s', async (_, more) => {
  const test = await tenantOf('documents', { documents: 20 })
  test.clock.advance(2 * dayMs)
  test.sim.primary.documents.removeWhere(first(10))
  for (let n = 0; n < 50; n++) test.sim.primary.documents.add()
  expect(await fullSyncs(test, 'documents', 2, hourMs)).toEqual(['success', 'shrink_held'])
  for (let n = 0; n < 50; n++) test.sim.primary.documents.add()
  for (let n = 0; n < 4; n++) {
    test.sim.primary.documents.removeWhere(first(more))
    expect(await fullSyncs(test, 'documents', 1, 14 * hourMs)).toEqual(['shrink_held'])
  }
  expect((await theHold(test)).message).toContain('of the 20 that were live 24 hours ago or at the first full sync')
  expect(live(test, 'documents')).toBe(120)
})

it('the hold of one list does not change what another one may remove', async () => {
  const test = await tenantOf('users', { users: 20, documents: 6 })
  await fullSyncs(test, 'documents', 1, hourMs)
  test.sim.primary.users.removeWhere(first(15))
  expect(await fullSyncs(test, 'users', 1, hourMs)).toEqual(['shrink_held'])
  for (let n = 0; n < 64; n++) test.sim.primary.documents.add()
  await fullSyncs(test, 'documents', 1, dayMs)
  test.sim.primary.documents.removeWhere(first(6))
  expect(await fullSyncs(test, 'documents', 2, dayMs)).toEqual(['success', 'success'])
  expect(live(test, 'documents')).toBe(64)
})

it('a department of a fifth of the users that leaves in a day is held, and accepted it is removed', async () => {
  const test = await tenantOf('users', { users: 100 })
  for (let n = 0; n < 5; n++) {
    test.sim.primary.users.removeWhere(first(4))
    await fullSyncs(test, 'users', 1, hourMs)
  }
  const hold = await theHold(test)
  expect([hold.reason, live(test, 'users') - hold.count]).toEqual(['shrink_held', 80])
  await accept(test, hold)
  expect(await fullSyncs(test, 'users', 1, hourMs)).toEqual(['success'])
  expect(live(test, 'users')).toBe(80)
  // What the operator accepted does not count: the next few may leave.
  test.sim.primary.users.removeWhere(first(1))
  expect(await fullSyncs(test, 'users', 1, dayMs)).toEqual(['success'])
  expect(await heldBack(test)).toEqual([])
})

it('records that are seen again no longer count as removed', async () => {
  const test = await tenantOf('users', { users: 60 })
  const gone = [...test.sim.primary.users.all()].slice(0, 4)
  test.sim.primary.users.removeWhere(first(4))
  await fullSyncs(test, 'users', 1, hourMs)
  for (const user of gone) test.sim.primary.users.add({ ...user, roleId: Number(user.roleId) })
  await fullSyncs(test, 'users', 1, hourMs)
  test.sim.primary.users.removeWhere(
    (user) => gone.every(({ userId }) => userId !== user.userId) && user.userId % 11 === 0,
  )
  const left = test.sim.primary.users.records.size
  expect(60 - left).toBeGreaterThan(2)
  expect(await fullSyncs(test, 'users', 1, hourMs)).toEqual(['success'])
  expect(live(test, 'users')).toBe(left)
})

it('all clients rotated at once are no shrinking, old ones that appear in their place are', async () => {
  const test = await tenantOf('api-clients', { apiClients: 24 })
  test.clock.advance(2 * dayMs)
  const old = new Set([...test.sim.primary['api-clients'].all()].slice(0, 20).map(({ clientId }) => clientId))
  for (let n = 0; n < 20; n++) test.sim.primary['api-clients'].add({ createdAt: test.clock.now() })
  await test.run('api-clients')
  test.sim.primary['api-clients'].removeWhere(({ clientId }) => old.has(clientId))
  expect(await fullSyncs(test, 'api-clients', 2, 15 * 60_000)).toEqual(['success', 'success'])
  expect(live(test, 'api-clients')).toBe(24)
  test.clock.advance(2 * dayMs)
  for (let n = 0; n < 4; n++) test.sim.primary['api-clients'].add(foreignClient)
  await test.run('api-clients')
  test.sim.primary['api-clients'].removeWhere(({ createdAt }) => createdAt !== foreignClient.createdAt)
  expect(await fullSyncs(test, 'api-clients', 2, 15 * 60_000)).toEqual(['success', 'shrink_held'])
})

it('clients that are created while removals are held do not lift the hold', async () => {
  const test = await tenantOf('api-clients', { apiClients: 4 })
  test.clock.advance(2 * dayMs)
  const [kept] = [...test.sim.primary['api-clients'].all()]
  test.sim.primary['api-clients'].removeWhere(({ clientId }) => clientId !== kept?.clientId)
  expect(await fullSyncs(test, 'api-clients', 2, 15 * 60_000)).toEqual(['success', 'shrink_held'])
  test.clock.advance(hourMs)
  test.sim.primary['api-clients'].add({ createdAt: test.clock.now() })
  expect(await fullSyncs(test, 'api-clients', 2, hourMs)).toEqual(['shrink_held', 'shrink_held'])
})

it('clients that came and left within a day replace none', async () => {
  const test = await tenantOf('api-clients', { apiClients: 24 })
  test.clock.advance(2 * dayMs)
  const created = test.clock.now()
  for (let n = 0; n < 20; n++) test.sim.primary['api-clients'].add({ createdAt: created })
  await test.run('api-clients')
  test.sim.primary['api-clients'].removeWhere(({ createdAt }) => createdAt === created)
  expect(await fullSyncs(test, 'api-clients', 2, 15 * 60_000)).toEqual(['success', 'shrink_held'])
})

const unreadable = { effect: { kind: 'set', path: 'meta.timestamp', value: 'today' } } as const

it.each<[string, { jumps?: number; off?: number; restarts?: true; fault?: typeof unreadable }]>([
  ['a local clock that is set back', { jumps: -700 * dayMs }],
  ['a local clock that jumps forward', { jumps: 700 * dayMs }],
  ['a local clock that jumps forward while the engine is stopped', { jumps: 700 * dayMs, restarts: true }],
  ['a server without a readable time', { fault: unreadable }],
  ['a local clock that is always ahead', { off: hourMs / 2 }],
  ['a local clock that is always behind', { off: -hourMs / 2 }],
])('with %s, removals count for 24 hours', async (_, { jumps = 0, off = 0, restarts, fault }) => {
  const test = await tenantOf('users', { users: 60 })
  test.clock.jump(off)
  if (fault) test.sim.faults.add(fault)
  test.sim.primary.users.removeWhere(first(4))
  await fullSyncs(test, 'users', 1, hourMs)
  test.clock.jump(jumps)
  if (restarts) await test.restart()
  test.sim.primary.users.removeWhere(first(4))
  expect(await fullSyncs(test, 'users', 2, hourMs)).toEqual(['shrink_held', 'shrink_held'])
  test.clock.jump(-jumps)
  expect(await fullSyncs(test, 'users', 1, dayMs)).toEqual(['success'])
  expect(live(test, 'users')).toBe(52)
})
