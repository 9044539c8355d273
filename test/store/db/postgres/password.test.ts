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

it('gives the password of the URL as it is now, and the last one while the URL cannot be read, with a warning', async () => {
  const { log, warned } = watchedLog()
  const texts = [urlWith('new'), '', urlWith('newer').slice(0, 18), null, urlWith('newest'), urlWith('x').slice(0, 9)]
  const url = async () => texts.shift() ?? Promise.reject(new UsageError('store.url: the file is not there'))
  const password = currentPassword({ url, log }, parseAddress(urlWith('first')))
  const given: unknown[] = []
  while (texts.length > 0) given.push(await password())
  expect(given).toEqual(['new', 'new', 'new', 'new', 'newest', 'newest'])
  const warning = 'The URL of the database cannot be read: connecting with its last password'
  expect(warned.map(([, message]) => message)).toEqual([warning, warning, warning, warning])
  expect(JSON.stringify(warned)).not.toContain('newer')
})

it('does not give the password of another place or user to the present one', async () => {
  const texts = [
    'postgres://u:other@elsewhere.example.com/m',
    'postgres://v-2:rotated@db.example.com/m',
    urlWith('new'),
  ]
  const password = currentPassword({ url: async () => texts.shift() ?? '' }, parseAddress(urlWith('first')))
  expect([await password(), await password(), await password()]).toEqual(['first', 'first', 'new'])
})
