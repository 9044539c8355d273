import { expect, it } from 'vitest'
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
