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

const reason = 'store'

it('waits for a program that ends its writing soon, without blocking the process', async () => {
  const { mirror, other } = opened()
  other.exec('begin immediate')
  setTimeout(() => other.exec('commit'), 100)
  await mirror.openTenant('acme', 'https://api.example.com', 1)
  expect((await mirror.tenants()).map(({ name }) => name)).toEqual(['acme'])
})

it('fails after a second, and at once while the lock remains; reads go on, and a write succeeds afterwards', async () => {
  const { mirror, other } = opened()
  other.exec('begin immediate')
  const write = () => mirror.openTenant('acme', 'https://api.example.com', 1)
  await expect(write()).rejects.toMatchObject({ reason, cause: { code: 'SQLITE_BUSY' } })
  const began = performance.now()
  for (let n = 0; n < 10; n++) await expect(write()).rejects.toMatchObject({ reason })
  expect(performance.now() - began).toBeLessThan(900)
  expect(await mirror.tenants()).toEqual([])
  other.exec('commit')
  await write()
})
