import { expect, it } from 'vitest'
import { isLoopback } from '../../src/model/process/address.ts'
import { listChange } from '../../src/model/text/words.ts'

const permission = (code: string, name = 'Read') => ({ permissionId: 1, name, module: 'Portal', code })
const [a, b, c] = [permission('A'), permission('B'), permission('C')]

it.each([
  [[a, b], [b, c], '+C -A'],
  [[], [a, b], '+A +B'],
  [[a], [], '-A'],
  [[a, b], [permission('A', 'See'), c], '+C -B ~A'],
  // Anything else is shown as it is.
  [[a, b], [b, a], null],
  [null, [a], null],
  ['[hidden]', [a], null],
  [[a], [null], null],
  [[a], [{ permissionId: 2 }], null],
  [[a], [a, a], null],
  [['x'], ['y'], null],
])('shows what was added to a list and removed from it: %j, %j', (before, after, words) => {
  expect(listChange(before, after)).toBe(words)
})

it('knows loopback addresses, and no name that only looks like one', () => {
  const loopback = ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]']
  const others =
    'localhost.example.com notlocalhost .localhost localhost. a.localhost 127.0.0.999 128.0.0.1 127.0.0.1. 0.0.0.0 ::'
  expect([...loopback, ...others.split(' '), '::ffff:127.0.0.1', ''].filter(isLoopback)).toEqual(loopback)
})
