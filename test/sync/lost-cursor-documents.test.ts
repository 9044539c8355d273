import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { bothSides, type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { asked, ending } from '../support/sync-queries.ts'

const path = '/api/public/documents'
const state = (test: TestEngine) => test.mirror.syncState(test.engine.tenantId, 'documents')
const updatedAfter = (test: TestEngine) =>
  test.sim.requests.filter(({ query }) => 'updatedAfter' in query).map(({ query }) => query['updatedAfter'])

async function synced(options: TestEngineOptions = {}): Promise<TestEngine> {
  const test = await testEngine({ sizes: { documents: 120 }, ...options })
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  test.clock.advance(5 * minuteMs)
  test.sim.requests.clear()
  return test
}

it.each([0, 700_000, -290_000])(
  'a refused cursor restarts with the server time (%i ms off) of the last run that reached the end, less the overlap',
  async (skew) => {
    const test = await synced()
    test.sim.faults.add({ effect: { kind: 'clock-skew', ms: skew } })
    const reachedAt = test.clock.now()
    expect(ending(await test.run('documents', 'incremental'))).toBe('success')
    test.clock.advance(30 * minuteMs)
    // A run that does not reach the end counts for nothing.
    const fault = test.sim.faults.add({ path, times: 1, effect: { kind: 'status', status: 403 } })
    expect(ending(await test.run('documents', 'incremental'))).toBe('missing_permission')
    test.sim.faults.remove(fault.id)
    test.clock.advance(5 * minuteMs)
    test.sim.invalidateCursors()
    test.sim.requests.clear()
    const result = await test.run('documents', 'incremental')
    expect([result.outcome, result.mode]).toEqual(['success', 'full'])
    expect(test.observed.resets).toEqual(['documents'])
    expect(updatedAfter(test)).toEqual([new Date(reachedAt + skew - hourMs).toISOString()])
    const order = asked(test).filter((line) => line !== 'documents' && line !== 'documents?cursor')
    expect(order).toEqual(['documents?updatedAfter'])
    expect(test.sim.violations).toEqual([])
    test.sim.requests.clear()
    expect((await test.run('documents', 'incremental')).mode).toBe('incremental')
    expect(asked(test)).toEqual(['documents?cursor'])
  },
)

it.each([500, 401, 403, 302])(
  'a full sync completes without a cursor that answers %i for longer than the freshness limit of incremental syncs',
  async (status) => {
    const test = await synced({ sizes: { documents: 20 } })
    expect(ending(await test.run('documents', 'incremental'))).toBe('success')
    const failing = test.sim.faults.add({ path, hasCursor: true, effect: { kind: 'status', status } })
    for (let run = 0; run < 2; run++) {
      test.clock.advance(10 * minuteMs)
      test.sim.primary.documents.add()
      const before = ending(await test.run('documents', 'incremental'))
      expect([before, ending(await test.run('documents', 'full'))]).toEqual([before, run === 0 ? before : 'success'])
    }
    const { mirrored, truth } = await bothSides(test, ['documents'])
    expect(mirrored).toEqual(truth)
    test.sim.faults.remove(failing.id)
    expect((await test.run('documents', 'incremental')).mode).toBe('incremental')
  },
)

it('recovery by time continues by cursor and reads every change at once, before the full sync', async () => {
  const test = await synced()
  await test.run('api-clients')
  for (let n = 0; n < 120; n++) test.sim.primary.documents.add()
  test.sim.invalidateCursors()
  // The first request without a cursor is the one with updatedAfter; the full sync that follows fails at once.
  test.sim.faults.add({ path, hasCursor: false, nth: 2, effect: { kind: 'status', status: 403 } })
  expect(ending(await test.run('documents', 'incremental'))).toBe('missing_permission')
  expect(test.query('select count(*) as n from documents')).toEqual([{ n: 240 }])
})

it('until the full sync completes, incremental sync freshness is not renewed, over a restart', async () => {
  const test = await synced()
  const { incrementalSuccessAt } = await state(test)
  test.sim.invalidateCursors()
  const broken = test.sim.faults.add({ path, page: 2, effect: { kind: 'status', status: 403 } })
  for (let n = 0; n < 4; n++) {
    if (n === 2) await test.restart()
    const result = await test.run('documents', 'incremental')
    expect([result.outcome, result.mode]).toEqual(['failure', n === 0 ? result.mode : 'full'])
    test.clock.advance(5 * minuteMs)
  }
  expect((await state(test)).incrementalSuccessAt).toBe(incrementalSuccessAt)
  expect(updatedAfter(test)).toHaveLength(1)
  test.sim.faults.remove(broken.id)
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  expect(Number((await state(test)).incrementalSuccessAt)).toBeGreaterThan(Number(incrementalSuccessAt))
  const { mirrored, truth } = await bothSides(test, ['documents'])
  expect(mirrored).toEqual(truth)
})

it('after a cursor refused again within six hours incremental syncs go by time until the next full sync', async () => {
  const test = await synced()
  test.sim.invalidateCursors()
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  test.clock.advance(5 * hourMs)
  test.sim.invalidateCursors()
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  await test.restart()
  test.sim.primary.documents.add()
  expect(await test.run('documents', 'incremental')).toMatchObject({ outcome: 'success', counts: { created: 1 } })
  expect(updatedAfter(test)).toHaveLength(3)
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  expect(test.observed.resets).toEqual(['documents', 'documents'])
})

it.each([
  // The first request without a cursor is the one with updatedAfter.
  [1, { hasCursor: false, nth: 1 }],
  // The first one with a cursor is for the lost one.
  [2, { hasCursor: true, nth: 2 }],
])('a feed that refuses page %i by updatedAfter, too, is made good by the full sync alone', async (_, request) => {
  const test = await synced()
  await test.run('api-clients')
  for (let n = 0; n < 120; n++) test.sim.primary.documents.add()
  test.sim.invalidateCursors()
  test.sim.faults.add({ path, ...request, effect: { kind: 'status', status: 400 } })
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  const { mirrored, truth } = await bothSides(test, ['documents'])
  expect(mirrored).toEqual(truth)
})

it('still owes the full sync after recovery by time when another tenant came in between', async () => {
  const test = await synced()
  test.sim.primary.documents.add()
  test.sim.invalidateCursors()
  let recovered = false
  const end = test.sim.onRequest(({ endpoint, query, cursor }) => {
    recovered ||= 'updatedAfter' in query
    if (!recovered || endpoint !== path || cursor !== null || 'updatedAfter' in query) return
    end()
    test.sim.swapTenant('reader')
  })
  expect(ending(await test.run('documents', 'incremental'))).toBe('tenant_changed')
  test.sim.swapTenant('reader')
  test.clock.advance(6 * minuteMs)
  expect(await test.run('documents', 'incremental')).toMatchObject({ outcome: 'success', mode: 'full' })
  expect(await test.run('documents', 'incremental')).toMatchObject({ outcome: 'success', mode: 'incremental' })
  expect(test.observed.resets).toEqual(['documents'])
})
