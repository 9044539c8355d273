import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { temporaryFolder } from '../support/temporary.ts'

function opened() {
  const raw = new BetterSqlite3(join(temporaryFolder(), 'progress.db'))
  raw.pragma('journal_mode = WAL')
  raw.pragma('synchronous = FULL')
  raw.exec('create table notes (n integer)')
  return { database: new SqliteDatabase(raw), synchronous: () => raw.pragma('synchronous', { simple: true }) }
}

/** A body that takes no step. */
const steps = <T>(body: () => T) =>
  // biome-ignore lint/correctness/useYield: nothing to take.
  function* () {
    return body()
  }

it('forces nothing to the disk for a note of progress, and everything else as before', async () => {
  const { database, synchronous } = opened()
  expect(await database.writeProgress(steps(synchronous))).toBe(1)
  expect(await database.write('nothing', steps(synchronous))).toBe(2)
})

it('forces everything else to the disk also after a note that fails, of which nothing stays', async () => {
  const { database, synchronous } = opened()
  const failing = steps(() => {
    database.raw.exec('insert into notes values (1)')
    throw new Error('no')
  })
  await expect(database.writeProgress(failing)).rejects.toThrow('no')
  expect(synchronous()).toBe(2)
  expect(database.raw.prepare('select count(*) from notes').pluck().get()).toBe(0)
})
