import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { first, heldBack, live } from '../support/sync-queries.ts'

const resources = ['users', 'documents', 'api-clients'] as const
const pageSize = 20

/** The fault of each full sync. */
const faults = {
  'fails on its last page': { kind: 'status', status: 500 },
  'begins again in silence': { kind: 'ignore-cursor' },
  'is empty from its last page on': { kind: 'empty' },
} as const

const cases = resources.flatMap((resource) =>
  [1, 5, 50].flatMap((rows) =>
    (Object.keys(faults) as (keyof typeof faults)[])
      // The removal of the only document looks the same.
      .filter((fault) => resource !== 'documents' || rows > 1 || fault !== 'is empty from its last page on')
      .map((fault) => [resource, rows, fault] as const),
  ),
)

async function tenantOf(resource: (typeof resources)[number], rows: number): Promise<TestEngine> {
  const test = await testEngine({
    problems: false,
    sizes: { users: rows, documents: rows, apiClients: Math.max(rows, 20) },
    readings: { defaultPageSize: { users: pageSize, documents: pageSize, apiClients: pageSize } },
    settings: { userDetails: { perRun: 0 } },
  })
  if (resource === 'api-clients') test.sim.primary.removeApiClients(first(test.sim.state().apiClientCount() - rows))
  await test.run(resource, 'full')
  expect(live(test, resource)).toBe(rows)
  return test
}

it.each(cases)('of %s %i live, a list that %s removes nobody who is there', async (resource, rows, fault) => {
  const test = await tenantOf(resource, rows)
  const page = Math.ceil(rows / pageSize)
  test.sim.faults.add({ path: `/api/public/${resource}`, page, effect: faults[fault] })
  for (let n = 0; n < 4; n++) {
    test.clock.advance(hourMs)
    await test.run(resource, 'full')
    expect(live(test, resource)).toBe(rows)
  }
  test.sim.faults.clear()
  test.clock.advance(hourMs)
  expect(await test.run(resource, 'full')).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(await heldBack(test)).toEqual([])
})
