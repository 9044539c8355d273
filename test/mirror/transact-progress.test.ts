import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { expect, it } from 'vitest'
import { Connection } from '../../src/mirror/sqlite/connection.ts'
import { transact, transactProgress } from '../../src/mirror/sqlite/database.ts'
import { temporaryFolder } from '../support/temporary.ts'

function opened() {
  const raw = new Connection(join(temporaryFolder(), 'progress.db'))
  raw.pragma('journal_mode = WAL')
  raw.pragma('synchronous = FULL')
  raw.exec('create table notes (n integer)')
  return { database: { raw, orm: drizzle(raw) }, synchronous: () => raw.pragma('synchronous', { simple: true }) }
}

it('forces nothing to the disk for a note of progress, and everything else as before', () => {
  const { database, synchronous } = opened()
  expect(transactProgress(database, () => synchronous())).toBe(1)
  expect(transact(database, () => synchronous())).toBe(2)
})

it('forces everything else to the disk also after a note that fails, of which nothing stays', () => {
  const { database, synchronous } = opened()
  const failing = () => {
    database.raw.exec('insert into notes values (1)')
    throw new Error('no')
  }
  expect(() => transactProgress(database, failing)).toThrow('no')
  expect(synchronous()).toBe(2)
  expect(database.raw.prepare('select count(*) from notes').pluck().get()).toBe(0)
})
