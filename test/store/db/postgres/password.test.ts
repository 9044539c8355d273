import { expect, it } from 'vitest'
import { UsageError } from '../../../../src/model/errors.ts'
import { silentLog } from '../../../../src/model/log.ts'
import { parseAddress } from '../../../../src/store/db/postgres/address.ts'
import { currentPassword } from '../../../../src/store/db/postgres/open.ts'

const urlWith = (password: string) => `postgres://u:${password}@db.example.com/m`

function watchedLog() {
  const warned: [object, string][] = []
  return {
    warned,
    log: { ...silentLog(), warn: (fields: object, message: string) => void warned.push([fields, message]) },
  }
}

it('gives the password of the URL as it is now, and the last one while the URL cannot be read, with one warning', async () => {
  const { log, warned } = watchedLog()
  const texts = [urlWith('new'), '', urlWith('newer').slice(0, 18), null, urlWith('newest'), urlWith('x').slice(0, 9)]
  const url = async () => texts.shift() ?? Promise.reject(new UsageError('store.url: the file is not there'))
  const password = currentPassword({ url, log }, parseAddress(urlWith('first')))
  const given: unknown[] = []
  while (texts.length > 0) given.push(await password())
  expect(given).toEqual(['new', 'new', 'new', 'new', 'newest', 'newest'])
  const once = 'The URL of the database cannot be read: connecting with its last password'
  expect(warned.map(([, message]) => message)).toEqual([once, once])
  expect(JSON.stringify(warned)).not.toContain('newer')
})

it('warns once when the URL names another place than the one in use, and again when it does so later', async () => {
  const { log, warned } = watchedLog()
  const other = 'postgres://v:hunter2@db.example.com:5433/m'
  const texts = [urlWith('a'), 'postgres://v:b@db.example.com/m?sslmode=require', other, other, urlWith('c'), other]
  const url = async () => texts.shift() ?? ''
  const password = currentPassword({ url, log }, parseAddress(urlWith('a')))
  const given: unknown[] = []
  while (texts.length > 0) given.push(await password())
  expect(given).toEqual(['a', 'b', 'hunter2', 'hunter2', 'c', 'hunter2'])
  const warning = [
    { inUse: 'database "m" at db.example.com:5432', named: 'database "m" at db.example.com:5433' },
    'store.url names another host, port or database than the one in use: it takes a restart of all replicas at the same time',
  ]
  expect(warned).toEqual([warning, warning])
})
