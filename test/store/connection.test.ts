import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { stablePlan } from '../../src/store/sqlite/connection.ts'

const table = 'create table notes (id integer primary key, kind integer, text text)'

/** How SQLite goes about a question once its values are bound. */
function planOf(text: string): string {
  const raw = new BetterSqlite3(':memory:')
  raw.exec(`${table}; create index ones on notes (text) where kind = 1`)
  const steps = raw.prepare<number[], { detail: string }>(`explain query plan ${text}`).all(1, 10)
  return steps.map(({ detail }) => detail).join(', ')
}

it('keeps the plan of a statement whatever values are bound, where SQLite would compile it again', () => {
  const text = 'select id from notes where kind = ? order by text limit ?'
  expect(planOf(text)).toContain('ones')
  expect(planOf(stablePlan(text))).not.toContain('ones')
})

it('changes no result', () => {
  const raw = new BetterSqlite3(':memory:')
  raw.exec(`${table}; insert into notes values (1, 0, 'a'), (2, 1, 'b'), (3, null, '1'), (4, 1, null), (5, 1, x'31')`)
  const found = (where: string, ...values: unknown[]) =>
    raw
      .prepare(stablePlan(`select id from notes where ${where}`))
      .pluck()
      .all(...values)
  expect(found('kind = ? order by id limit ? offset ?', 1, 2, 1)).toEqual([4, 5])
  expect(found('kind = ?', '1')).toEqual([2, 4, 5])
  expect(found('kind is ?', null)).toEqual([3])
  expect(found('text = ?', '1')).toEqual([3])
  expect(found('text = ?', 1n)).toEqual([3])
  expect(found('text = ?', 1)).toEqual([])
  expect(found('text = ?', Buffer.from('1'))).toEqual([5])
})
