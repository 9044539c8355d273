import { expect, it } from 'vitest'
import { assertMirrored, checksOf, resourceAt, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const replaced = (body: Buffer, what: RegExp, by: string) => Buffer.from(body.toString().replace(what, () => by))

it.each([
  ['B5 nesting of 50,000 levels', deep(50_000)],
  ['B5 nesting of 200,000 levels', deep(200_000)],
  ['B10 an id beyond safe integers', '9007199254740993'],
  ['B10 an id beyond all numbers', '1e400'],
  ['B10 an id that is a fraction', '1.5'],
  ['B10 an id that is a text', '"1"'],
])('%s puts one record aside, and the rest is read while nothing passes', async (_, id) => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  const stored = () => test.query('select * from users').map(({ missing_since: _, ...user }) => user)
  const before = stored()
  const fault = wire.changed((body) => replaced(body, /"userId":\d+/, `"userId":${id}`))
  server.choose = ({ path, query }) => (resourceAt(path) === 'users' && !query.has('cursor') ? fault : undefined)
  const { outcome, counts } = await test.run('users', 'full')
  expect([outcome, counts.removed]).toEqual(['success', 0])
  expect(test.query('select count(*) as n from quarantine order by resource, key')).toEqual([{ n: 1 }])
  expect(stored()).toEqual(before)
  // It may be the record that nobody can name.
  expect(test.query('select count(*) as n from users where missing_since is not null')).toEqual([{ n: 1 }])
  await scene.evaluator()
  const statuses = await scene.stored()
  for (const check of checksOf('users')) expect([check, statuses[check]]).not.toEqual([check, 'pass'])
  server.choose = () => undefined
  // Records without a readable id leave quarantine after two full syncs without them.
  for (let cycle = 0; cycle < 2; cycle++) await scene.cycle()
  expect(test.query('select count(*) as n from quarantine order by resource, key')).toEqual([{ n: 0 }])
  await assertMirrored(scene)
  scene.assertManners()
})

it('B2 a record of more than a thousand unknown fields is put aside', async () => {
  const scene = await startScene()
  const { test, server } = scene
  const fields = Array.from({ length: 1001 }, (_, field) => `"field${field}":1`).join()
  server.choose = ({ path, query }) =>
    resourceAt(path) === 'users' && !query.has('cursor')
      ? wire.changed((body) => replaced(body, /"userId"/, `${fields},"userId"`))
      : undefined
  expect((await test.run('users', 'full')).outcome).toBe('success')
  expect(test.query('select problem from quarantine order by resource, key')).toEqual([
    { problem: 'More than 1000 unknown fields in one object' },
  ])
  expect(test.query('select count(*) as n from users')).toEqual([{ n: 19 }])
  scene.assertManners()
})
