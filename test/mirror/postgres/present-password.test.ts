import { expect, it } from 'vitest'
import { presentPassword } from '../../../src/mirror/postgres/present-password.ts'
import { UsageError } from '../../../src/model/errors.ts'
import { silentLog } from '../../../src/model/log.ts'

const urlWith = (password: string) => `postgres://u:${password}@db.example.com/m`

it('gives the password of the URL as it is now, and the last one while the URL cannot be read, with one warning', async () => {
  const warned: [object, string][] = []
  const log = { ...silentLog(), warn: (fields: object, message: string) => void warned.push([fields, message]) }
  const texts = [urlWith('new'), '', urlWith('newer').slice(0, 18), null, urlWith('newest'), urlWith('x').slice(0, 9)]
  const url = async () => texts.shift() ?? Promise.reject(new UsageError('store.url: the file is not there'))
  const password = presentPassword({ url, log }, 'first')
  const given: unknown[] = []
  while (texts.length > 0) given.push(await password())
  expect(given).toEqual(['new', 'new', 'new', 'new', 'newest', 'newest'])
  const once = 'The URL of the database cannot be read: connecting with its last password'
  expect(warned.map(([, message]) => message)).toEqual([once, once])
  expect(JSON.stringify(warned)).not.toContain('newer')
})

it('asks for another password after a refusal', async () => {
  const password = presentPassword({ url: async (refused) => urlWith(refused === undefined ? 'old' : 'new') }, 'old')
  expect([await password(), await password('refused')]).toEqual(['old', 'new'])
})
