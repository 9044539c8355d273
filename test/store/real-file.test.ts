import { linkSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { storeSize } from '../../src/store/db/sqlite/database-file.ts'
import { lockStateOf } from '../../src/store/db/sqlite/engine-lock.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { storeFacts } from '../../src/store/db/sqlite/store-facts.ts'
import { testMirror } from '../support/mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('has one lock on a database, whatever links lead to it', () => {
  const { path } = testMirror()
  const file = `${path}.link`
  symlinkSync(path, file)
  const folder = join(temporaryFolder(), 'linked')
  symlinkSync(dirname(path), folder)
  for (const link of [file, path.replace(dirname(path), folder)]) {
    expect(() => openMirror(link, 'engine')).toThrow(/Another tenantwatch engine .* is working on/)
    expect(lockStateOf(link)).toMatchObject({ held: true })
    expect(storeFacts(link)).toMatchObject({ path, exists: true })
    expect(storeSize(link)).toEqual(storeSize(path))
  }
})

it.each(['engine', 'beside'] as const)('opens no database with a second name as %s', async (role) => {
  const { path, mirror } = testMirror()
  await mirror[Symbol.asyncDispose]()
  const other = join(dirname(path), 'hard.db')
  linkSync(path, other)
  for (const name of [path, other]) expect(() => openMirror(name, role)).toThrow(/has 2 names \(hard links\)/)
  unlinkSync(other)
  await openMirror(path, role)[Symbol.asyncDispose]()
})
