import { expect, it, vi } from 'vitest'
import { basicAuth, compareBcrypt, type Users } from '../../src/web/basic-auth.ts'

const key = Buffer.alloc(32, 7)
const users: Users = new Map([
  ['alice', 'hash of wonder'],
  ['bob', 'hash of build'],
])
const header = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
const compareText = async (password: string, hash: string) => hash === `hash of ${password}`
const watched = () => vi.fn(compareText)

it('lets users in with their own password only', async () => {
  const evaluator = basicAuth(key, compareText)
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
  expect(await evaluator(users, header('bob', 'build'))).toBe('granted')
  for (const [name, password] of [
    ['alice', 'build'],
    ['alice', ''],
    ['Alice', 'wonder'],
    ['', 'wonder'],
    ['carol', 'wonder'],
    ['carol', 'build'],
  ] as const)
    expect([name, password, await evaluator(users, header(name, password))]).toEqual([name, password, 'denied'])
})

it('denies headers without user name and password, without a comparison', async () => {
  const compare = watched()
  const evaluator = basicAuth(key, compare)
  const none = [
    undefined,
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    'Bearer abc',
    `Basic ${Buffer.from('x').toString('base64')}`,
  ]
  for (const authorization of none) expect(await evaluator(users, authorization)).toBe('denied')
  expect(await evaluator(new Map(), header('alice', 'wonder'))).toBe('denied')
  expect(compare).not.toHaveBeenCalled()
})

it('compares a correct password once and a wrong one each time', async () => {
  const compare = watched()
  const evaluator = basicAuth(key, compare)
  for (let i = 0; i < 5; i++) expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
  expect(compare).toHaveBeenCalledTimes(1)
  for (let i = 0; i < 3; i++) expect(await evaluator(users, header('alice', 'wrong'))).toBe('denied')
  expect(compare).toHaveBeenCalledTimes(4)
})

it('drops an accepted header when its user is removed or has another hash', async () => {
  const evaluator = basicAuth(key, compareText)
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
  expect(await evaluator(new Map([['alice', 'hash of new']]), header('alice', 'wonder'))).toBe('denied')
  expect(await evaluator(new Map([['bob', 'hash of wonder']]), header('alice', 'wonder'))).toBe('denied')
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
})

it('compares for unknown user names as for users, each name against the same hash', async () => {
  const compare = watched()
  const evaluator = basicAuth(key, compare)
  const unknownNames = Array.from({ length: 40 }, (_, i) => `unknown-${i}`)
  for (const name of unknownNames)
    for (const again of [1, 2]) expect(await evaluator(users, header(name, `p${again}`))).toBe('denied')
  expect(compare).toHaveBeenCalledTimes(80)
  const hashes = compare.mock.calls.map(([, hash]) => hash)
  expect(new Set(hashes)).toEqual(new Set(users.values()))
  for (let i = 0; i < hashes.length; i += 2) expect(hashes[i]).toBe(hashes[i + 1])
})

it('compares one password at a time and answers busy while many wait', async () => {
  let [underWay, most, release] = [0, 0, () => {}]
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const evaluator = basicAuth(key, async () => {
    most = Math.max(most, ++underWay)
    await held
    underWay--
    return false
  })
  const request = Array.from({ length: 40 }, (_, i) => evaluator(users, header('alice', `guess ${i}`)))
  expect(await Promise.all(request.slice(16))).toEqual(Array(24).fill('busy'))
  release()
  expect(await Promise.all(request.slice(0, 16))).toEqual(Array(16).fill('denied'))
  expect(most).toBe(1)
  expect(await evaluator(users, header('alice', 'another'))).toBe('denied')
})

it('grants cached credentials while others guess passwords', async () => {
  let guess: Promise<boolean> | undefined
  const evaluator = basicAuth(key, async (password, hash) => (await guess) ?? compareText(password, hash))
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
  guess = new Promise(() => {})
  for (let i = 0; i < 20; i++) void evaluator(users, header('alice', `guess ${i}`))
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
})

it('compares concurrent equal headers once', async () => {
  const compare = watched()
  const evaluator = basicAuth(key, compare)
  const all = await Promise.all(Array.from({ length: 30 }, () => evaluator(users, header('bob', 'build'))))
  expect(all).toEqual(Array(30).fill('granted'))
  expect(compare).toHaveBeenCalledTimes(1)
})

it('continues after a failed comparison', async () => {
  const compare = vi.fn(compareText).mockRejectedValueOnce(new Error('out of memory'))
  const evaluator = basicAuth(key, compare)
  await expect(evaluator(users, header('alice', 'wonder'))).rejects.toThrow('out of memory')
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
})

it.each(['$2a$', '$2b$', '$2y$'])('accepts bcrypt hashes that begin with %s', async (prefix) => {
  // Of the password "wonder", cost 4.
  const hash = '$2b$04$C94XCeEJ/IXMVPqS5a488Opg1B9P5Shl3sVk111V/tcvJDvbt56b.'.replace('$2b$', prefix)
  expect(await compareBcrypt('wonder', hash)).toBe(true)
  expect(await compareBcrypt('Wonder', hash)).toBe(false)
})
