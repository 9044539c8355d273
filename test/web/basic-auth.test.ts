import { expect, it, vi } from 'vitest'
import { basicAuth, type Users } from '../../src/web/basic-auth.ts'

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

it('drops an accepted header when its user is removed or has another hash', async () => {
  const evaluator = basicAuth(key, compareText)
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
  expect(await evaluator(new Map([['alice', 'hash of new']]), header('alice', 'wonder'))).toBe('denied')
  expect(await evaluator(new Map([['bob', 'hash of wonder']]), header('alice', 'wonder'))).toBe('denied')
  expect(await evaluator(users, header('alice', 'wonder'))).toBe('granted')
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
