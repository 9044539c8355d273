import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { temporaryFolder } from '../support/temporary.ts'

const table = 'create table notes (id integer primary key, kind integer, text text)'
const asked = 'select id from notes where kind = ? order by text limit ?'

/** How SQLite goes about a question once its values are bound. */
function planOf(raw: BetterSqlite3.Database): string {
  raw.exec(`${table}; create index ones on notes (text) where kind = 1`)
  const steps = raw.prepare<number[], { detail: string }>(`explain query plan ${asked}`).all(1, 10)
  return steps.map(({ detail }) => detail).join(', ')
}

it('keeps the plan of a statement whatever values are bound, where SQLite would compile it again', () => {
  const folder = temporaryFolder()
  expect(planOf(new BetterSqlite3(join(folder, 'weighing.db')))).toContain('ones')
  expect(planOf(new Connection(join(folder, 'keeping.db')))).not.toContain('ones')
})

it('returns the same rows as the bare driver, whatever is bound', () => {
  const folder = temporaryFolder()
  const rows = "insert into notes values (1, 0, 'a'), (2, 1, 'b'), (3, null, '1'), (4, 1, null), (5, 1, x'31')"
  for (const raw of [new BetterSqlite3(join(folder, 'bare.db')), new Connection(join(folder, 'own.db'))]) {
    raw.exec(`${table}; ${rows}`)
    const found = (where: string, ...values: unknown[]) =>
      (raw as BetterSqlite3.Database)
        .prepare(`select id from notes where ${where}`)
        .pluck()
        .all(...values)
    expect(found('kind = ? order by id limit ? offset ?', 1, 2, 1)).toEqual([4, 5])
    expect(found('kind = ?', '1')).toEqual([2, 4, 5])
    expect(found('kind is ?', null)).toEqual([3])
    expect(found('text = ?', '1')).toEqual([3])
    expect(found('text = ?', 1n)).toEqual([3])
    expect(found('text = ?', 1)).toEqual([])
    expect(found('text = ?', Buffer.from('1'))).toEqual([5])
    expect(found('id = ?', 2n)).toEqual([2])
  }
})

it('stores bound values as they are', () => {
  const raw = new Connection(join(temporaryFolder(), 'values.db'))
  raw.exec(`${table}; insert into notes (id) values (1)`)
  const [put, get] = [
    raw.prepare('update notes set text = ? where id = ?'),
    raw.prepare('select text from notes').pluck(),
  ]
  for (const value of ['+1', '', null, 1.5, Buffer.from([0, 255])]) {
    put.run(value, 1)
    expect(get.get()).toEqual(typeof value === 'number' ? String(value) : value)
  }
})

it('rolls back an atomic piece of work when it fails, also within another one', () => {
  const raw = new Connection(join(temporaryFolder(), 'atomic.db'))
  raw.exec(table)
  const write = raw.prepare('insert into notes (kind) values (?)')
  const failing = () => {
    write.run(2)
    throw new Error('It fails')
  }
  const count = raw.atOnce(() => {
    write.run(1)
    expect(() => raw.atOnce(failing)).toThrow('It fails')
    return raw.prepare('select count(*) from notes').pluck().get()
  })
  expect(count).toBe(1)
  expect(() => raw.atOnce(failing)).toThrow('It fails')
  expect(raw.prepare('select kind from notes').pluck().all()).toEqual([1])
})
