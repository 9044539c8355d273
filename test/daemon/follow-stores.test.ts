import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { reloadable } from '../commands/support/reloading.ts'

/** A session that is recording its configuration, and so evaluates nothing yet. */
async function busyWorld() {
  const world = await reloadable()
  const { session } = world
  const turn = Promise.withResolvers<void>()
  onTestFinished(() => turn.resolve())
  const shared = session.stores.shared()
  if (shared === null) throw new Error('No store for rows without a tenant')
  const recorded = vi.fn(async () => await turn.promise)
  const stores = vi.spyOn(session.stores, 'shared')
  stores.mockReturnValue({ ...shared, noteConfiguration: recorded })
  return { ...world, recorded, turn }
}

it('gives tenants back while the evaluator is busy, and records the configuration later', async () => {
  const { session, turn, recorded } = await busyWorld()
  const { change } = await session.followStores()
  expect(change).toEqual({ added: [], changed: [], removed: [] })
  const evaluated = session.evaluate()
  while (recorded.mock.calls.length === 0) await nextTurn()
  // What changes meanwhile is recorded once more.
  await session.followStores()
  turn.resolve()
  await evaluated
  await session.evaluate()
  expect(recorded).toHaveBeenCalledTimes(2)
  await session.evaluate()
  expect(recorded).toHaveBeenCalledTimes(2)
})

it('ends a run of a tenant that waits behind the evaluator', async () => {
  const { session, turn, recorded } = await busyWorld()
  const [tenant] = session.tenants
  if (tenant === undefined) throw new Error('No tenant')
  await session.followStores()
  const evaluated = session.evaluate()
  while (recorded.mock.calls.length === 0) await nextTurn()
  const engineRun = vi.spyOn(tenant.engine, 'run')
  const { signal } = new AbortController()
  const run = tenant.work(signal, async (ending) => {
    await session.syncAndEvaluate(tenant, { resource: 'roles', mode: 'full', signal: ending })
  })
  while (engineRun.mock.settledResults[0]?.type !== 'fulfilled') await nextTurn()
  for (let turns = 0; turns < 50; turns++) await nextTurn()
  await tenant.stop()
  await run
  turn.resolve()
  await evaluated
})
