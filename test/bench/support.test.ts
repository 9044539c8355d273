import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { apiPages } from '../../bench/support/api-pages.ts'
import { apiWorld, firstUserId } from '../../bench/support/api-world.ts'
import { flatness } from '../../bench/support/soak-samples.ts'
import { percentile } from '../../bench/support/statistics.ts'
import { evaluator } from '../../bench/support/targets.ts'
import { walCommits } from '../../bench/support/wal-commits.ts'
import { worldOf } from '../../bench/support/world-of.ts'
import { temporaryFolder } from '../support/temporary.ts'

const startedAt = Date.UTC(2026, 0, 1)

it('counts the transactions in a write-ahead log, those that wrote nothing left out', () => {
  const path = join(temporaryFolder(), 'counted.db')
  const raw = new BetterSqlite3(path)
  onTestFinished(() => void raw.close())
  raw.pragma('journal_mode = WAL')
  raw.exec('create table t (x)')
  raw.pragma('wal_checkpoint(TRUNCATE)')
  expect(walCommits(path)).toBe(0)
  raw.transaction(() => {
    for (let i = 0; i < 2000; i++) raw.prepare('insert into t values (?)').run(`row ${i}`)
  })()
  raw.exec("update t set x = 'other' where x = 'row 1'")
  raw.exec("delete from t where x = 'no such row'")
  expect(walCommits(path)).toBe(2)
})

it('interpolates percentiles', () => {
  expect(percentile([4, 1, 3, 2], 50)).toBe(2.5)
  expect(percentile([1, 2, 3], 100)).toBe(3)
  expect(percentile([], 50)).toBeNaN()
})

it('calls a soak flat when only the teeth of the saw differ, and not when something piles up', () => {
  const at = (i: number, storeMiB: number) => ({ at: i, rssMiB: 100, heapMiB: 20 + (i % 7) * 10, fds: 40, storeMiB })
  const checkResults = (grow: number) => flatness(Array.from({ length: 200 }, (_, i) => at(i, 6 + i * grow)))
  expect(checkResults(0).filter(({ flat }) => !flat)).toEqual([])
  expect(checkResults(0.02).flatMap(({ name, flat }) => (flat ? [] : [name]))).toEqual(['storeMiB'])
})

it('evaluates a target by both times, and reports when they disagree', () => {
  const marks = (wall: number, cpu: number) =>
    evaluator(
      new Map([
        ['first-full-sync.ratio', wall],
        ['first-full-sync.cpuRatio', cpu],
      ]),
    ).map(({ mark }) => mark)
  expect([marks(1.2, 1.1), marks(2, 2), marks(1.2, 2)]).toEqual([['pass'], ['MISS'], ['unsure']])
})

it('shows a tenant of just as many users that fail, are gone or have changed as were asked for', () => {
  const state = worldOf(1000, { failing: 100, removed: 40, changed: 10 })
  const world = apiWorld(state, startedAt)
  const users = Array.from({ length: 1000 }, (_, index) => JSON.parse(world.user(index, false)))
  expect(users.filter(({ mfaStatus }) => mfaStatus === false).length).toBe(100)
  expect(users.filter(({ lastName }) => lastName.endsWith('-New')).length).toBe(10)
  expect(users.filter((_, index) => world.isRemoved(index)).length).toBe(40)
})

it('reads the users of its tenant by cursor to an end that has a cursor, too', () => {
  const pages = apiPages(worldOf(450, { removed: 5 }), startedAt)
  const read = (path: string, cursor: string | null) => {
    const [head = '', body = ''] = pages.answer(path, cursor).bytes.toString().split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), ...JSON.parse(body) }
  }
  const ids: number[] = []
  let page = read('users', null)
  for (;;) {
    ids.push(...page.data.map(({ userId }: { readonly userId: number }) => userId))
    if (!page.pagination.hasMore) break
    page = read('users', page.pagination.nextCursor)
  }
  expect(new Set(ids).size).toBe(445)
  expect(read('users', page.pagination.nextCursor)).toMatchObject({ data: [], pagination: { hasMore: false } })
  const gone = Array.from({ length: 450 }, (_, index) => firstUserId + index).filter((id) => !ids.includes(id))
  expect(gone.map((id) => read(`users/${id}`, null).status)).toEqual([404, 404, 404, 404, 404])
  expect(read('users', 'no cursor').status).toBe(400)
})
