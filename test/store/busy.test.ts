import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'

function opened() {
  const file = join(temporaryFolder(), 'mirror.db')
  const mirror = openMirror(file, 'engine')
  const other = new BetterSqlite3(file)
  onTestFinished(async () => {
    other.close()
    await mirror[Symbol.asyncDispose]()
  })
  return { mirror, other }
}

it('fails soon while another program locks the database; reads go on, and a write succeeds afterwards', async () => {
  const { mirror, other } = opened()
  other.exec('begin immediate')
  const write = () => mirror.openTenant('acme', 'https://api.example.com', 1)
  const began = performance.now()
  await expect(write()).rejects.toMatchObject({ reason: 'store', cause: { code: 'SQLITE_BUSY' } })
  expect(performance.now() - began).toBeLessThan(900)
  expect(await mirror.tenants()).toEqual([])
  other.exec('commit')
  await write()
  expect((await mirror.tenants()).map(({ name }) => name)).toEqual(['acme'])
})
