import { expect, it } from 'vitest'
import type { Envelope, FaultEffect } from '../../src/simulator/index.ts'
import { bothSides, testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'
import { ending, live } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const readings = { defaultPageSize: { users: 20, documents: 20, apiClients: 10 } } as const
const sizes = { users: 100, documents: 100, apiClients: 40 }
const listed = ['users', 'documents', 'api-clients'] as const
const pageSizes = { users: 20, documents: 20, 'api-clients': 10 } as const

/** Which answers are no page is the table of test/api/faults.test.ts; here every list meets some of them. */
const broken: readonly (readonly [string, FaultEffect])[] = [
  ['a page that is not JSON', { kind: 'body', body: '{"data": [' }],
  ['an error beside a 200', { kind: 'set', path: 'error', value: { code: 'INTERNAL_ERROR', message: 'no' } }],
  ['more pages with a null cursor', { kind: 'set', path: 'pagination.nextCursor', value: null }],
]

it.each(listed.flatMap((resource) => broken.map((one) => [resource, ...one] as const)))(
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

it.each(['users', 'documents', 'api-clients'] as const)(
  'a hundred empty pages of %s in a row while more are promised are a violation, 99 are none',
  async (resource) => {
    const test = await testEngine({ settings, readings, sizes: { users: 2040, documents: 2040, apiClients: 2040 } })
    const empty = (times: number) =>
      test.sim.faults.add({
        path: `/api/public/${resource}`,
        hasCursor: true,
        times,
        effect: ofData(() => []),
      })
    // Of API clients, an empty page is asked for four times.
    const tries = resource === 'api-clients' ? 4 : 1
    empty(99 * tries)
    // Of API clients, an announced page without records may mean "could not be completed": a second reading differs.
    const expected = resource === 'api-clients' ? 'protocol' : 'success'
    expect(ending(await test.run(resource, 'full'))).toBe(expected)
    test.sim.faults.clear()
    if (expected !== 'success') await test.run(resource, 'full')
    const before = live(test, resource)
    empty(100 * tries)
    const result = await test.run(resource, 'full')
    expect([result.reason, result.pages]).toEqual(['protocol', 100])
    expect(live(test, resource)).toBe(before)
  },
)

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

it.each(listed)('sends nothing behind a page of %s whose next cursor is the one that was sent', async (resource) => {
  const test = await testEngine({ settings, readings, sizes })
  const path = `/api/public/${resource}`
  let first: unknown
  const transform = ({ pagination, ...others }: Envelope) => {
    const { nextCursor } = pagination as { readonly nextCursor: unknown }
    first ??= nextCursor
    return { ...others, pagination: { hasMore: true, nextCursor: first } }
  }
  test.sim.faults.add({ path, effect: { kind: 'transform', transform } })
  expect(await test.run(resource, 'full')).toMatchObject({ reason: 'protocol', pages: 1 })
  expect(test.sim.requests.filter(({ endpoint }) => endpoint === path)).toHaveLength(2)
})
