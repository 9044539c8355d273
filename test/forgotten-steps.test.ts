import { expect, it } from 'vitest'
import { forgottenSteps } from './support/forgotten-steps.ts'

const forgotten = [
  'drop.run(1)',
  'both(2)',
  'void drop.run(3)',
  'list.length > 0 && drop.run(4)',
  'list.forEach((n) => drop.run(5 + n))',
  'const kept = find.get(6)',
  'if (kept !== undefined) throw new Error()',
  'const some = list.filter((n) => find.get(7 + n))',
  'const none = list.filter((n) => find.get(8 + n) === undefined)',
  'const answer = find.get(9) ?? 0',
  'const [first] = [find.get(10)]',
  "void database.write('nothing', function* () { yield* both(11); return find.get(12) })",
  'void database.run(async () => drop.run(13))',
  'void database.run(async () => { return drop.run(14) })',
  'void database.run(() => drop.run(15))',
  'const text = String(find.get(16))',
]

const taken = [
  'const step = drop.run(1)',
  'const isLong = list.length > 1',
  'return {',
  '  handed: (n: number): Step<void> => (isLong ? both(n) : drop.run(n)),',
  '  kept: (n: number) => ({ n, step: drop.run(n) }),',
  '  read: () => database.read(() => find.get(1)),',
  "  write: () => database.write('nothing', () => { if (isLong) return both(1); return drop.run(2) }),",
  '  *asked(n: number) { yield* step; return (yield* find.get(n)) !== undefined },',
  '  some, none, answer, first, text,',
  '}',
]

const path = 'src/store/sync/planted.ts'

const planted = `import type { Database } from '../database.ts'
import type { Step, Steps } from '../steps.ts'

export function planted(database: Database, list: readonly number[]) {
  const find = database.prepare<[number], { n: number }>('select 1')
  const drop = database.prepare<[number]>('delete')
  function* both(n: number): Steps<void> {
    yield* drop.run(n)
  }
${[...forgotten, ...taken].join('\n')}
}
`

const found = forgottenSteps({ [path]: planted })

it('takes every step of a store operation', () => {
  expect(found.filter((place) => !place.startsWith(path))).toEqual([])
})

it('finds a step that nothing takes', () => {
  const among = found.filter((place) => place.startsWith(path)).map((place) => place.replace(/^[^:]*:\d+: /, ''))
  expect(among).toEqual([
    'drop.run(1)',
    'both(2)',
    'drop.run(3)',
    'drop.run(4)',
    'drop.run(5 + n)',
    'kept',
    'find.get(7 + n)',
    'find.get(8 + n)',
    'find.get(9)',
    'find.get(10)',
    'find.get(12)',
    'drop.run(13)',
    'drop.run(14)',
    'drop.run(15)',
    'find.get(16)',
  ])
})
