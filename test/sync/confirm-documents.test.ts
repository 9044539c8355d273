import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { startTime } from '../support/fake-clock.ts'
import { ofData } from '../support/of-data.ts'
import { ending, heldBack, live } from '../support/sync-queries.ts'

const path = '/api/public/documents'
const settings = { userDetails: { perRun: 0 } }

/** A tenant whose first full sync of documents is complete; updates lie an hour apart. */
async function tenant(options: TestEngineOptions = {}): Promise<TestEngine> {
  const test = await testEngine({
    problems: false,
    sizes: { documents: 30 },
    settings,
    ...options,
  })
  for (const [n, { fileId }] of [...test.sim.primary.documents.all()].entries()) {
    test.sim.primary.documents.update(fileId, {
      createdAt: startTime - 999 * hourMs,
      updatedAt: startTime - (99 - n) * hourMs,
    })
  }
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  return test
}

const ids = ({ sim }: TestEngine) => [...sim.primary.documents.all()].map(({ fileId }) => fileId)

async function full(test: TestEngine) {
  test.clock.advance(hourMs)
  test.sim.requests.clear()
  return test.run('documents', 'full')
}

const confirmations = ({ sim }: TestEngine) =>
  sim.requests.filter(({ path: asked, query }) => asked === path && 'updatedAfter' in query)

/** Documents over which no check passes. */
const missing = (test: TestEngine) => test.query('select 1 from records where missing_since is not null').length

it('a document that two full syncs lack is removed after one request by its time in each, read to its end', async () => {
  const test = await tenant({ readings: { defaultPageSize: { documents: 10 } } })
  const all = ids(test)
  for (const gone of [all[4], all[17]]) test.sim.primary.documents.remove(String(gone))
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(confirmations(test)).toHaveLength(1)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 2 } })
  const [asked, ...more] = confirmations(test)
  expect(more).toEqual([])
  const at = Date.parse(String(asked?.query['updatedAfter']))
  expect(at).toBeLessThanOrEqual(startTime - 95 * hourMs)
  expect(at).toBeGreaterThan(startTime - 96 * hourMs)
  expect(asked?.query).not.toHaveProperty('cursor')
  expect(live(test, 'documents')).toBe(28)
  expect(test.observed.events).toEqual([])
  expect(test.sim.violations).toEqual([])
})

it('documents of a list that lacks more than the guard allows are missing at once', async () => {
  const test = await tenant()
  for (const gone of ids(test).slice(12)) test.sim.primary.documents.remove(gone)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect([missing(test), await heldBack(test)]).toEqual([18, []])
})

it('a document that the request by time returns stays, as a skipped row', async () => {
  const test = await tenant()
  const [, , skipped = ''] = ids(test)
  const skip = ofData((data: readonly { readonly fileId: string }[]) => data.filter(({ fileId }) => fileId !== skipped))
  const fault = test.sim.faults.add({ path, effect: skip })
  test.sim.onRequest(({ query }) => void ('updatedAfter' in query && test.sim.faults.remove(fault.id)))
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(test.observed.events).toEqual(['documents skipped_row'])
  expect(test.query('select * from documents where absent_full_syncs > 0 or removed_at is not null')).toEqual([])
})

it.each([500, 429, 403, 400])(
  'an unfinished request (%i on its second page) removes nothing, a later one does',
  async (status) => {
    const test = await tenant({ readings: { defaultPageSize: { documents: 10 } } })
    test.sim.primary.documents.remove(ids(test)[2] ?? '')
    await full(test)
    let byTime = false
    const end = test.sim.onRequest(({ path: asked, query }) => {
      if (asked !== path) return
      if (byTime) test.sim.faults.add({ path, times: 9, effect: { kind: 'status', status } })
      byTime ||= 'updatedAfter' in query
    })
    expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
    expect(live(test, 'documents')).toBe(30)
    expect(await heldBack(test)).toEqual([])
    end()
    test.sim.faults.clear()
    test.clock.advance(hourMs)
    expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  },
)

it('an announced page of documents or users that comes back empty removes nobody', async () => {
  const test = await testEngine({
    problems: false,
    sizes: { documents: 30, users: 30 },
    readings: { defaultPageSize: { documents: 10, users: 10 } },
    settings: { userDetails: { perRun: 0 }, removals: { maxCount: 100, maxPercent: 100 } },
  })
  for (const resource of ['users', 'documents'] as const) {
    await test.run(resource, 'full')
    test.sim.faults.add({ path: `/api/public/${resource}`, page: 3, effect: { kind: 'empty' } })
    for (let n = 0; n < 4; n++) {
      test.clock.advance(hourMs)
      await test.run(resource, 'full')
    }
    expect(live(test, resource)).toBe(30)
  }
})

it('an answer to updatedAfter whose announced page comes back empty confirms no removal', async () => {
  const test = await testEngine({
    problems: false,
    sizes: { documents: 12 },
    readings: { defaultPageSize: { documents: 10 }, documentOrder: 'fileId' },
    settings,
  })
  for (const [n, fileId] of ids(test).sort().entries()) {
    const updatedAt = startTime - (n < 10 ? 9 : 10) * hourMs
    test.sim.primary.documents.update(fileId, { createdAt: startTime - 999 * hourMs, updatedAt })
  }
  await full(test)
  test.sim.faults.add({ path, page: 2, effect: { kind: 'empty' } })
  await full(test)
  expect(missing(test)).toBe(0)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(confirmations(test)).toHaveLength(1)
  expect(missing(test)).toBe(2)
  for (let n = 0; n < 3; n++) expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(live(test, 'documents')).toBe(12)
  test.sim.faults.clear()
  await full(test)
  expect(missing(test)).toBe(0)
})

it('a server that announces a page after each full one confirms a removal by a reading that begins earlier', async () => {
  const test = await tenant({ readings: { defaultPageSize: { documents: 10 }, hasMoreWhenFull: true } })
  test.sim.primary.documents.remove(ids(test)[19] ?? '')
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  expect(confirmations(test)).toHaveLength(2)
})

it('a reading begins earlier at a document that was updated, where the server leaves out the others', async () => {
  const readings = { defaultPageSize: { documents: 10 }, hasMoreWhenFull: true, updatedAfterNulls: 'exclude' } as const
  const test = await tenant({ readings })
  const all = ids(test)
  for (const [n, id] of all.slice(16, 19).entries())
    test.sim.primary.documents.update(id, { createdAt: startTime - (83 - n) * hourMs, updatedAt: null })
  await full(test)
  test.sim.primary.documents.remove(all[19] ?? '')
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
})

it('a document that was never updated is asked for by its creation', async () => {
  const test = await tenant({ readings: { updatedAfterNulls: 'createdAt' } })
  const [gone = '', other = ''] = ids(test)
  for (const id of [gone, other]) test.sim.primary.documents.update(id, { updatedAt: null })
  await full(test)
  test.sim.primary.documents.remove(gone)
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  const at = Date.parse(String(confirmations(test)[0]?.query['updatedAfter']))
  expect(at).toBe(startTime - 999 * hourMs - 1000)
})
