import { expect, it } from 'vitest'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { minuteMs } from '../../src/model/time.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { seenChanges } from '../support/events.ts'
import { accept, ending, everyRow, first, heldBack, live, theHold } from '../support/sync-queries.ts'

const quiet = { userDetails: { perRun: 0 } }

type Guarded = Extract<ResourceName, 'users' | 'documents' | 'api-clients'>

async function tenantOf(resource: Guarded, rows: number): Promise<TestEngine> {
  const sizes = { users: 5, documents: 5, apiClients: 20 }
  if (resource === 'users') sizes.users = rows
  if (resource === 'documents') sizes.documents = rows
  if (resource === 'api-clients') sizes.apiClients = Math.max(rows, 20)
  const test = await testEngine({ problems: false, sizes, settings: quiet })
  if (resource === 'api-clients')
    test.sim.primary['api-clients'].removeWhere(first(test.sim.primary['api-clients'].records.size - rows))
  // The API clients identify the tenant, whatever else is gone.
  for (const one of new Set([resource, 'api-clients'] as const))
    expect(ending(await test.run(one, 'full'))).toBe('success')
  expect(live(test, resource)).toBe(rows)
  return test
}

function remove({ sim }: TestEngine, resource: Guarded, count: number): void {
  if (resource === 'users') sim.primary.users.removeWhere(first(count))
  if (resource === 'documents') sim.primary.documents.removeWhere(first(count))
  if (resource === 'api-clients') sim.primary['api-clients'].removeWhere(first(count))
}

/** Runs full syncs until absent records are due for removal. */
async function fullSyncUntilDue(test: TestEngine, resource: Guarded) {
  if (resource !== 'users') {
    const before = live(test, resource)
    test.clock.advance(minuteMs)
    expect(ending(await test.run(resource, 'full'))).toBe('success')
    expect(live(test, resource)).toBe(before)
    test.clock.advance(minuteMs)
  }
  return test.run(resource, 'full')
}

it.each(['users', 'documents', 'api-clients'] as const)(
  'half of the %s vanish: none is removed, the hold keeps its id, and ends by itself when they return',
  async (resource) => {
    const test = await tenantOf(resource, 60)
    const gone = [...test.sim.primary.resources[resource].all()].slice(0, 30)
    const before = everyRow(test)[resource.replace('-', '_')]
    remove(test, resource, 30)
    const result = await fullSyncUntilDue(test, resource)
    expect([result.outcome, result.reason, result.counts.removed]).toEqual(['failure', 'shrink_held', 0])
    expect(result.message).toBe(`30 of 60 ${resource} are missing from the full sync; limits: 5 records and 10 percent`)
    expect(result.hint).toContain('tenantwatch accept')
    expect(test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users/{id}')).toEqual([])
    const { id } = await theHold(test)
    expect(id).toMatch(/^[\w-]+$/)
    for (let n = 0; n < 3; n++) {
      test.clock.advance(minuteMs)
      const began = test.clock.now()
      expect(ending(await test.run(resource, 'full'))).toBe('shrink_held')
      expect((await theHold(test)).id).toBe(id)
      // Its data was read to the end and is fresh.
      const [state] = test.query(`select complete_started_at as at from sync_states where resource = '${resource}'`)
      expect(state).toEqual({ at: began })
    }
    for (const record of gone as object[]) {
      if (resource === 'users') test.sim.primary.users.add(record)
      if (resource === 'documents') test.sim.primary.documents.add(record)
      if (resource === 'api-clients') test.sim.primary['api-clients'].add(record)
    }
    expect(ending(await test.run(resource, 'full'))).toBe('success')
    expect(await heldBack(test)).toEqual([])
    expect(live(test, resource)).toBe(60)
    expect(everyRow(test)[resource.replace('-', '_')]).toEqual(before)
    expect(seenChanges(test.query).filter(({ kind }) => kind === 'removed' || kind === 'returned')).toEqual([])
  },
)

it.each(['users', 'documents', 'api-clients'] as const)(
  'accepting covers exactly the held %s, and others meet the guard again',
  async (resource) => {
    const test = await tenantOf(resource, 60)
    remove(test, resource, 20)
    await fullSyncUntilDue(test, resource)
    await accept(test, await theHold(test))
    remove(test, resource, 10)
    const result = await fullSyncUntilDueAfterAccept(test, resource)
    expect(ending(result)).toBe('shrink_held')
    expect(live(test, resource)).toBe(40)
    expect(await heldBack(test)).toEqual([`${resource} shrink_held 10`])
    await accept(test, await theHold(test))
    expect(ending(await test.run(resource, 'full'))).toBe('success')
    expect(live(test, resource)).toBe(30)
    expect(await heldBack(test)).toEqual([])
    expect(test.query('select * from accepted_removals')).toEqual([])
  },
)

async function fullSyncUntilDueAfterAccept(test: TestEngine, resource: Guarded) {
  if (resource === 'users') return test.run(resource, 'full')
  test.clock.advance(minuteMs)
  expect(ending(await test.run(resource, 'full'))).toBe('success')
  expect(live(test, resource)).toBe(40)
  test.clock.advance(minuteMs)
  return test.run(resource, 'full')
}

it('an accepted removal is withdrawn when the record is seen again, by a full sync or by an incremental sync', async () => {
  const test = await tenantOf('documents', 60)
  const gone = [...test.sim.primary.documents.all()].slice(0, 30)
  remove(test, 'documents', 30)
  await fullSyncUntilDue(test, 'documents')
  await accept(test, await theHold(test))
  const [back] = gone
  // A change puts the document at the end of the feed, where an incremental sync sees it.
  test.sim.primary.documents.add({ ...back, updatedAt: test.clock.now() })
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  expect(test.query('select * from accepted_removals')).toHaveLength(29)
  test.sim.primary.documents.remove(String(back?.fileId))
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  expect(live(test, 'documents')).toBe(31)
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  expect(live(test, 'documents')).toBe(30)
})

it('a full sync that is not whole removes nobody and holds nothing, however many it misses', async () => {
  const test = await tenantOf('users', 30)
  remove(test, 'users', 20)
  const [odd] = test.sim.primary.users.all()
  test.sim.primary.users.update(odd?.userId ?? 0, { raw: { userId: 'x' } })
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect([live(test, 'users'), await heldBack(test)]).toEqual([30, []])
})

it('a full sync removes nothing whose incremental sync from the cursor of before showed a record without a readable id', async () => {
  const test = await tenantOf('documents', 30)
  remove(test, 'documents', 1)
  await test.run('documents', 'full')
  const before = await test.mirror.syncState(test.engine.tenantId, 'documents')
  const end = test.sim.onRequest(({ cursor }) => {
    if (cursor !== before.cursor) return
    end()
    test.sim.primary.documents.add({ raw: { fileId: 17 } })
  })
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  expect(live(test, 'documents')).toBe(30)
})
