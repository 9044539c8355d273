import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary.ts'
import { walCommits } from './wal-commits.ts'

it('counts the transactions in a write-ahead log that wrote something', () => {
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
