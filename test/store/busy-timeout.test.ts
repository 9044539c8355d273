import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openForEngine } from '../../src/store/db/sqlite/open.ts'
import { busyTimeoutOf } from '../../src/store/sqlite/connection.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { temporaryFolder } from '../support/temporary.ts'

function opened() {
  const file = join(temporaryFolder(), 'mirror.db')
  const engine = openForEngine(file)
  const other = new BetterSqlite3(file)
  onTestFinished(() => {
    other.close()
    engine[Symbol.dispose]()
  })
  return { database: new SqliteDatabase(engine.writer, { busyTimeout: busyTimeoutOf(engine.writer) }), other }
}

const write = (database: SqliteDatabase) => database.write('nothing', function* () {})
const busyTimeout = ({ raw }: SqliteDatabase) => raw.pragma('busy_timeout', { simple: true })

it('waits a second at most for another program, and once only until a write succeeds', async () => {
  const { database, other } = opened()
  expect(busyTimeout(database)).toBe(1000)
  other.exec('begin immediate')
  for (let i = 0; i < 3; i++) {
    await expect(write(database)).rejects.toThrow(expect.objectContaining({ reason: 'store' }))
    expect(busyTimeout(database)).toBe(10)
  }
  other.exec('commit')
  await write(database)
  expect(busyTimeout(database)).toBe(1000)
})

it('does not wait for a write that fails by itself', async () => {
  const { database } = opened()
  const wrong = () => database.prepare('insert into nothing values (1)').run()
  await expect(database.write('nothing', wrong)).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
  expect(busyTimeout(database)).toBe(1000)
})
