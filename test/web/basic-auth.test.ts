import { expect, it, vi } from 'vitest'
import { passwordCheck } from '../../src/web/access-control.ts'
import { hashes } from './support/live.ts'

const users = new Map([
  ['alice', 'hash of wonder'],
  ['bob', 'hash of build'],
])
const watched = () => vi.fn(async (password: string, hash: string) => hash === `hash of ${password}`)

it('lets users in with their own password only', async () => {
  const isPassword = passwordCheck(watched())
  expect(await isPassword(users, 'alice', 'wonder')).toBe(true)
  expect(await isPassword(users, 'bob', 'build')).toBe(true)
  for (const [name, password] of [
    ['alice', 'build'],
    ['alice', ''],
    ['Alice', 'wonder'],
    ['', 'wonder'],
    ['carol', 'wonder'],
    ['carol', 'build'],
  ] as const)
    expect([name, password, await isPassword(users, name, password)]).toEqual([name, password, false])
})

it('compares a correct password once, a wrong one and that of an unknown user each time', async () => {
  const compare = watched()
  const isPassword = passwordCheck(compare)
  for (let i = 0; i < 5; i++) expect(await isPassword(users, 'alice', 'wonder')).toBe(true)
  expect(compare).toHaveBeenCalledTimes(1)
  for (const name of ['alice', 'alice', 'carol']) expect(await isPassword(users, name, 'wrong')).toBe(false)
  expect(compare).toHaveBeenCalledTimes(4)
})

it.each(['$2b$', '$2y$'])('compares with bcrypt hashes that begin with %s', async (prefix) => {
  const own = new Map([['alice', hashes.wonder.replace('$2b$', prefix)]])
  const isPassword = passwordCheck()
  expect(await isPassword(own, 'alice', 'wonder')).toBe(true)
  expect(await isPassword(own, 'alice', 'Wonder')).toBe(false)
})
