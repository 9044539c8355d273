import BetterSqlite3 from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending, everyRow, live } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }

/** Makes the database refuse a kind of write, as a full disk would. */
function refuse({ path }: TestEngine, what: string): () => void {
  const run = (sql: string) => {
    const beside = new BetterSqlite3(path)
    beside.exec(sql)
    beside.close()
  }
  run(`create trigger refused before ${what} begin select raise(abort, 'refused by the test'); end`)
  return () => run('drop trigger refused')
}

it('a store that is gone ends every run as store, never as a success', async () => {
  const test = await testEngine({ settings })
  await test.runAll('full')
  const before = everyRow(test)
  test.sim.primary.users.add()
  test.sim.primary['authentication-settings'].update(0, { mfaEnabled: false })
  await test.mirror[Symbol.asyncDispose]()
  const observed = test.observed.runs.length
  for (const resource of resourceNames) {
    for (const mode of ['incremental', 'full'] as const) {
      const result = await test.run(resource, mode)
      expect([resource, result.outcome, result.reason]).toEqual([resource, 'failure', 'store'])
    }
  }
  expect(test.observed.runs.slice(observed).map(({ reason }) => reason)).toEqual(
    Array(resourceNames.length * 2).fill('store'),
  )
  expect(everyRow(test)).toEqual(before)
})

it.each([
  ['the page cannot be written', 'insert on records'],
  ['the full sync cannot be noted', 'insert on full_sync_pages'],
  ['the full sync cannot be completed', 'delete on full_syncs'],
  ['the end of the run cannot be written', 'insert on runs'],
])('%s: the run fails as store, and the next one makes it good', async (_what, write) => {
  const test = await testEngine({ settings, sizes: { users: 120 } })
  const undo = refuse(test, write)
  const result = await test.run('users', 'full')
  expect([result.outcome, result.reason]).toEqual(['failure', 'store'])
  expect(test.observed.runs.map(({ outcome }) => outcome)).toEqual(['failure'])
  // Errors are faults of tenantwatch.
  expect(test.observed.log.filter((line) => line.startsWith('error'))).toEqual([])
  const state = await test.mirror.syncState(test.engine.tenantId, 'users')
  expect([state.fullSuccessAt, state.incrementalSuccessAt]).toEqual([null, null])
  undo()
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(live(test, 'users')).toBe(120)
})

it('a run that ends after another replica took the tenant is no fault', async () => {
  const test = await testEngine({ settings })
  const taken = new SyncError('aborted', 'Another replica owns the tenant and continues there')
  vi.spyOn(test.mirror, 'closeRun').mockRejectedValueOnce(taken)
  vi.spyOn(test.mirror, 'completeFullSync').mockRejectedValueOnce(taken)
  const result = await test.run('roles')
  expect(result).toMatchObject({ outcome: 'failure', reason: 'aborted', stored: false })
  expect(test.observed.log.filter((line) => line.startsWith('error'))).toEqual([])
})
