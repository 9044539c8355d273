import { expect, it } from 'vitest'
import type { FaultEffect } from '../../src/simulator/index.ts'
import { bothSides, testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'
import { asked, ending, live } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const readings = { defaultPageSize: { users: 20, documents: 20, apiClients: 10 } } as const
const sizes = { users: 100, documents: 100, apiClients: 40 }
const pageSizes = { users: 20, documents: 20, 'api-clients': 10 } as const

const set = (path: string, value: unknown): FaultEffect => ({ kind: 'set', path, value })
const body = (text: string): FaultEffect => ({ kind: 'body', body: text })

const broken: readonly (readonly [string, FaultEffect])[] = [
  ['a page that is not JSON', body('{"data": [')],
  ['an empty body', body('')],
  ['a sign-in page', { kind: 'body', contentType: 'text/html', body: '<!doctype html><title>Sign in</title>' }],
  ['null for an envelope', body('null')],
  ['an array for an envelope', body('[]')],
  ['a text for an envelope', body('"ok"')],
  ['no envelope', body('{"users": []}')],
  ['no data', { kind: 'merge', patch: { data: null } }],
  ['data null', set('data', null)],
  ['data that is an object', set('data', {})],
  ['data that is a text', set('data', 'none')],
  ['an error beside a 200', set('error', { code: 'INTERNAL_ERROR', message: 'no' })],
  ['an error text beside a 200', set('error', 'no')],
  ['no pagination', { kind: 'merge', patch: { pagination: null } }],
  ['pagination null', set('pagination', null)],
  ['pagination that is an array', set('pagination', [])],
  ['no hasMore', { kind: 'merge', patch: { pagination: { hasMore: null } } }],
  ['hasMore null', set('pagination.hasMore', null)],
  ['hasMore that is a text', set('pagination.hasMore', 'false')],
  ['hasMore that is a number', set('pagination.hasMore', 0)],
  ['more pages with a null cursor', set('pagination.nextCursor', null)],
  ['more pages with an empty cursor', set('pagination.nextCursor', '')],
  ['more pages with no cursor', { kind: 'merge', patch: { pagination: { nextCursor: null } } }],
  ['a cursor that is a number', set('pagination.nextCursor', 42)],
  ['the cursor that was sent', { kind: 'repeat-cursor' }],
]

it.each(
  (['users', 'documents', 'api-clients'] as const).flatMap((resource) =>
    broken.map((one) => [resource, ...one] as const),
  ),
)(
  'a full sync of %s with %s ends as protocol without advancing, and the next run makes it good',
  async (resource, _what, effect) => {
    const test = await testEngine({ settings, readings, sizes })
    const fault = test.sim.faults.add({ path: `/api/public/${resource}`, page: 2, effect })
    const result = await test.run(resource, 'full')
    expect([result.outcome, result.reason, result.pages]).toEqual(['failure', 'protocol', 1])
    expect(live(test, resource)).toBe(pageSizes[resource])
    const state = await test.mirror.syncState(test.engine.tenantId, resource)
    expect([state.cursor, state.completeStartedAt, state.fullSuccessAt]).toEqual([null, null, null])
    test.sim.faults.remove(fault.id)
    expect(ending(await test.run(resource, 'full'))).toBe('success')
    const { mirrored, truth } = await bothSides(test, [resource])
    if (resource === 'users') expect(live(test, resource)).toBe(100)
    else expect(mirrored).toEqual(truth)
  },
)

it.each(
  (['users', 'documents'] as const).flatMap((resource) =>
    broken.slice(0, resource === 'users' ? 3 : 20).map((one) => [resource, ...one] as const),
  ),
)(
  'an incremental sync of %s with %s leaves the stored cursor and brings the new record with the next incremental sync',
  async (resource, _what, effect) => {
    const test = await testEngine({ settings, sizes: { users: 20, documents: 20 }, problems: false })
    await test.run(resource, 'full')
    const cursor = async () => (await test.mirror.syncState(test.engine.tenantId, resource)).cursor
    const before = await cursor()
    if (resource === 'users') test.sim.primary.addUser()
    else test.sim.primary.addDocument()
    test.sim.faults.add({ path: `/api/public/${resource}`, times: 1, effect })
    expect(ending(await test.run(resource, 'incremental'))).toBe('protocol')
    expect(await cursor()).toBe(before)
    expect(live(test, resource)).toBe(20)
    expect((await test.run(resource, 'incremental')).counts.created).toBe(1)
  },
)

it.each(
  (['roles', 'permissions', 'authentication-settings'] as const).flatMap((resource) =>
    broken.slice(0, 13).map((one) => [resource, ...one] as const),
  ),
)('%s with %s ends as protocol and changes nothing', async (resource, what, effect) => {
  const test = await testEngine({ settings })
  await test.run(resource)
  const before = live(test, resource)
  const odd = resource === 'authentication-settings' && what === 'data that is an object' ? set('data', []) : effect
  const fault = test.sim.faults.add({ path: `/api/public/${resource}`, effect: odd })
  expect(ending(await test.run(resource))).toBe('protocol')
  expect(live(test, resource)).toBe(before)
  test.sim.faults.remove(fault.id)
  expect(ending(await test.run(resource))).toBe('success')
})

it.each(['users', 'documents', 'api-clients'] as const)(
  'a cursor of %s that comes again in a circle is noticed',
  async (resource) => {
    const test = await testEngine({ settings, readings, sizes })
    let second: unknown
    test.sim.faults.add({
      path: `/api/public/${resource}`,
      effect: {
        kind: 'transform',
        transform(envelope) {
          const pagination = envelope.pagination as { nextCursor?: unknown }
          second ??= pagination.nextCursor
          const page = test.sim.requests.all().at(-1)?.page
          return page === 3 ? { ...envelope, pagination: { ...pagination, nextCursor: second } } : envelope
        },
      },
    })
    expect(ending(await test.run(resource, 'full'))).toBe('protocol')
    expect(test.sim.requests.filter(({ endpoint }) => endpoint === `/api/public/${resource}`)).toHaveLength(3)
  },
)

it.each([
  ['the cursor that was sent', { kind: 'repeat-cursor' }],
  ['more pages with a null cursor', set('pagination.nextCursor', null)],
] as const)(
  'a full sync whose page was refused for %s begins again, for its answer was thrown away',
  async (_, effect) => {
    const test = await testEngine({ settings, readings, sizes })
    test.sim.faults.add({ path: '/api/public/documents', page: 3, times: 1, effect })
    expect(ending(await test.run('documents', 'full'))).toBe('protocol')
    test.sim.requests.clear()
    expect(await test.run('documents', 'full')).toMatchObject({ outcome: 'success', pages: 5 })
    expect(asked(test)[0]).toBe('documents')
  },
)

it('a full sync that exceeded maxPages continues where it stopped when more are allowed', async () => {
  const test = await testEngine({ settings: { ...settings, api: { maxPages: 3 } }, readings, sizes })
  expect(ending(await test.run('documents', 'full'))).toBe('protocol')
  await test.restart({ ...settings, api: { maxPages: 5 } })
  expect(await test.run('documents', 'full')).toMatchObject({ outcome: 'success', pages: 3 })
})

it('a full sync that exceeded maxPages begins again while no more are allowed', async () => {
  const test = await testEngine({ settings: { ...settings, api: { maxPages: 3 } }, readings, sizes })
  for (const _ of [1, 2]) {
    test.sim.requests.clear()
    expect(ending(await test.run('documents', 'full'))).toBe('protocol')
    expect(asked(test)[0]).toBe('documents')
  }
})

it('a circle is noticed over a restart in the middle of a full sync', async () => {
  const test = await testEngine({ settings, readings, sizes })
  const stop = test.sim.faults.add({ path: '/api/public/users', page: 4, effect: { kind: 'status', status: 403 } })
  await test.run('users', 'full')
  const [, request] = test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users')
  test.sim.faults.remove(stop.id)
  await test.restart()
  test.sim.faults.add({
    path: '/api/public/users',
    hasCursor: true,
    effect: set('pagination.nextCursor', request?.cursor),
  })
  const result = await test.run('users', 'full')
  expect([result.reason, result.pages]).toEqual(['protocol', 0])
})

it.each(['users', 'documents', 'api-clients'] as const)(
  'three empty pages of %s in a row while more are promised are a violation, two are none',
  async (resource) => {
    const test = await testEngine({ settings, readings, sizes: { users: 120, documents: 120, apiClients: 60 } })
    const empty = (times: number) =>
      test.sim.faults.add({
        path: `/api/public/${resource}`,
        hasCursor: true,
        times,
        effect: ofData(() => []),
      })
    // Of API clients, an empty page is asked for four times.
    const tries = resource === 'api-clients' ? 4 : 1
    empty(2 * tries)
    // Of API clients, an announced page without records may mean "could not be completed": a second reading differs.
    const expected = resource === 'api-clients' ? 'protocol' : 'success'
    expect(ending(await test.run(resource, 'full'))).toBe(expected)
    test.sim.faults.clear()
    if (expected !== 'success') await test.run(resource, 'full')
    const before = live(test, resource)
    empty(3 * tries)
    const result = await test.run(resource, 'full')
    expect([result.reason, result.pages]).toEqual(['protocol', 3])
    expect(live(test, resource)).toBe(before)
  },
)

it('empty pages in a row are counted over a restart', async () => {
  const test = await testEngine({ settings, readings, sizes: { users: 120 } })
  const effect = ofData(() => [])
  test.sim.faults.add({ path: '/api/public/users', hasCursor: true, effect })
  const stop = test.sim.faults.add({ path: '/api/public/users', page: 4, effect: { kind: 'status', status: 403 } })
  expect(ending(await test.run('users', 'full'))).toBe('missing_permission')
  test.sim.faults.remove(stop.id)
  await test.restart()
  const result = await test.run('users', 'full')
  expect([result.reason, result.pages]).toEqual(['protocol', 0])
})

it.each([
  ['users', 100, 'success'],
  ['users', 101, 'protocol'],
  ['documents', 100, 'success'],
  ['documents', 101, 'protocol'],
] as const)('%s: %i records in pages of 20 with maxPages 5 end as %s', async (resource, rows, expected) => {
  const test = await testEngine({
    settings: { ...settings, api: { maxPages: 5 } },
    readings,
    sizes: { users: rows, documents: rows },
  })
  expect(ending(await test.run(resource, 'full'))).toBe(expected)
  expect(test.sim.requests.filter(({ endpoint }) => endpoint === `/api/public/${resource}`)).toHaveLength(5)
})

it('the limit of pages holds for a full sync over several runs', async () => {
  const test = await testEngine({ settings: { ...settings, api: { maxPages: 5 } }, readings, sizes: { users: 200 } })
  const stop = test.sim.faults.add({ path: '/api/public/users', page: 4, effect: { kind: 'status', status: 403 } })
  await test.run('users', 'full')
  test.sim.faults.remove(stop.id)
  expect(ending(await test.run('users', 'full'))).toBe('protocol')
  expect(live(test, 'users')).toBe(80)
})

it('the end of the feed with a cursor is no violation: it is stored and replayed', async () => {
  const test = await testEngine({ settings, readings, sizes })
  await test.run('documents', 'full')
  for (let n = 0; n < 3; n++) {
    test.sim.requests.clear()
    expect(ending(await test.run('documents', 'incremental'))).toBe('success')
    expect(asked(test)).toEqual(['documents?cursor'])
  }
})
