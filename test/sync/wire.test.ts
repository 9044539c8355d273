import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { isPagedList } from '../support/descriptors.ts'
import { bothSides, type TestEngine, testEngine } from '../support/engine.ts'

const tables = ['records', 'events']

/** Counts every row that is written to the tables of records and their history from now on. */
function writesOf(test: TestEngine): () => number {
  const file = new BetterSqlite3(test.path)
  onTestFinished(() => void file.close())
  file.exec('create table written (row text)')
  for (const table of tables) {
    for (const what of ['insert', 'update', 'delete']) {
      const trigger = `create trigger t_${table}_${what} after ${what} on ${table}`
      file.exec(`${trigger} begin insert into written values ('${what} ${table}'); end`)
    }
  }
  return () => file.prepare('select count(*) from written').pluck().get() as number
}

const requestsOf = ({ sim }: TestEngine) => sim.requests.all().map(({ path, query }) => ({ path, ...query }))

it('spends one request a resource on a steady incremental sync, one a page on API clients, and writes no record', async () => {
  const test = await testEngine({
    problems: false,
    sizes: { apiClients: 50 },
    settings: { userDetails: { perRun: 300 } },
  })
  await test.runAll('full')
  const writes = writesOf(test)
  for (const _ of [1, 2]) {
    test.clock.advance(15 * minuteMs)
    test.sim.requests.clear()
    const results = await test.runAll()
    expect(results.map(({ outcome, counts }) => [outcome, counts.created + counts.updated + counts.removed])).toEqual(
      resourceNames.map(() => ['success', 0]),
    )
    const asked = requestsOf(test).map(({ path }) => path.replace('/api/public/', ''))
    expect(asked.filter((name) => name === 'api-clients')).toHaveLength(3)
    expect(asked.filter((name) => !isPagedList(name)).toSorted()).toEqual(
      resourceNames.filter((name) => !isPagedList(name)),
    )
  }
  expect(writes()).toBe(0)
  expect(test.sim.violations).toEqual([])
})

it('leaves values, request and time of reading alone when a full sync or a detail shows nothing new', async () => {
  const test = await testEngine({ problems: false, sizes: { users: 20, documents: 20 } })
  await test.runAll('full')
  const rows = () => tables.map((table) => test.query(`select * from ${table}`).map(({ supplement, ...row }) => row))
  const before = rows()
  test.clock.advance(hourMs)
  await test.runAll('full')
  expect(test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users/{id}')).toHaveLength(40)
  expect(rows()).toEqual(before)
})

it('never stores a cursor of the API clients and never sends one of another run', async () => {
  const test = await testEngine({ sizes: { apiClients: 50 }, readings: { lastPageCursor: { apiClients: true } } })
  for (const page of [1, 2, 3, 4]) {
    const stop = new AbortController()
    const end = test.sim.onRequest((request) => {
      if (request.endpoint === '/api/public/api-clients' && request.page === page) stop.abort()
    })
    const { outcome } = await test.run('api-clients', 'full', stop.signal)
    expect(outcome).toBe(page === 4 ? 'success' : 'failure')
    end()
  }
  expect(test.query("select cursor from sync_states where resource = 'api-clients'")).toEqual([{ cursor: null }])
  await test.restart()
  await test.run('api-clients')
  expect(test.sim.violations).toEqual([])
})

it('recovers a lost documents cursor by time and then by cursor, never both in one request, and full syncs', async () => {
  const test = await testEngine({ readings: { defaultPageSize: { documents: 10 } }, sizes: { documents: 35 } })
  await test.runAll('full')
  test.clock.advance(10 * minuteMs)
  await test.run('documents')
  const reachedEnd = test.clock.now()
  test.clock.advance(10 * minuteMs)
  test.sim.invalidateCursors()
  for (let n = 0; n < 12; n++) test.sim.primary.addDocument({ uploadStatus: 'Completed' })
  test.sim.requests.clear()
  const { outcome, mode } = await test.run('documents')
  expect([outcome, mode]).toEqual(['success', 'full'])
  expect(test.observed.resets).toEqual(['documents'])
  const ofDocuments = requestsOf(test).filter((query) => query['path'] === '/api/public/documents')
  const words = ofDocuments.map((query) => Object.keys(query).slice(1).join())
  // A page of unknown ids is read again.
  const asked = words.filter((one, i) => one !== words[i - 1])
  expect(asked.slice(0, 4)).toEqual(['cursor', 'updatedAfter', 'cursor', ''])
  expect(requestsOf(test)[1]).toMatchObject({ updatedAfter: new Date(reachedEnd - hourMs).toISOString() })
  const { mirrored, truth } = await bothSides(test, ['documents'])
  expect(mirrored).toEqual(truth)
  test.sim.requests.clear()
  await test.run('documents')
  expect(requestsOf(test)).toHaveLength(1)
  expect(test.sim.violations).toEqual([])
})
