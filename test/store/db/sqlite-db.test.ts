import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Sql } from '../../../src/store/db/db.ts'
import { openForEngine } from '../../../src/store/db/sqlite/open.ts'
import { SqliteDb } from '../../../src/store/db/sqlite/sqlite-mirror.ts'
import { temporaryFolder } from '../../support/temporary.ts'

function openDb() {
  const opened = openForEngine(join(temporaryFolder(), 'mirror.db'))
  onTestFinished(() => opened[Symbol.dispose]())
  const commits = { count: 0 }
  const { writer } = opened
  const exec = writer.exec.bind(writer)
  writer.exec = (text) => {
    if (text === 'commit') commits.count++
    return exec(text)
  }
  writer.exec('create table numbers (n integer primary key)')
  const db = new SqliteDb(opened)
  const stored = () => db.read((sql) => sql<number>('select n from numbers order by n', [], 'values'))
  return { db, stored, commits }
}

const insert =
  (n: number, or = 'abort') =>
  (sql: Sql) =>
    sql(`insert or ${or} into numbers (n) values (?) returning n`, [n])

it('commits transactions together that wait at the same time; one that fails is rolled back alone', async () => {
  const { db, stored, commits } = openDb()
  const failing = db.write(async (sql) => {
    await insert(3)(sql)
    throw new RangeError('of the work')
  })
  const outcomes = await Promise.allSettled([db.write(insert(1)), failing, db.write(insert(1)), db.write(insert(2))])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  await expect(failing).rejects.toThrow(RangeError)
  expect(await stored()).toEqual([1, 2])
  expect(commits.count).toBe(1)
})

it('reports none as stored of transactions whose common commit SQLite has ended', async () => {
  const { db, stored } = openDb()
  await db.write(insert(1))
  // `or rollback` ends the transaction, as a full disk does.
  const outcomes = await Promise.allSettled([db.write(insert(2)), db.write(insert(1, 'rollback')), db.write(insert(3))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await db.write(insert(4))
  expect(await stored()).toEqual([1, 4])
})

it('reads what was committed before the read', async () => {
  const { db, stored } = openDb()
  const first = stored()
  await db.write(insert(1))
  expect([await first, await stored()]).toEqual([[], [1]])
})
