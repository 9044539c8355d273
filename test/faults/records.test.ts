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

it('B2 an endless number of made-up field names is counted and logged only up to a limit per run', async () => {
  const scene = await startScene({ sizes: { users: 30 } })
  const { test, server } = scene
  let made = 0
  const more = () => Array.from({ length: 200 }, () => `"made${made++}":1`).join()
  server.choose = ({ path }) =>
    resourceAt(path) === 'users'
      ? wire.changed((body) => Buffer.from(body.toString().replaceAll('"userId"', () => `${more()},"userId"`)))
      : undefined
  expect((await test.run('users', 'full')).outcome).toBe('success')
  // Of one record no more than a hundred are counted at all.
  expect(made).toBeGreaterThanOrEqual(30 * 200)
  expect(test.observed.events).toHaveLength(2000)
  expect(test.observed.log.filter((line) => line.includes('deviates'))).toHaveLength(1)
  expect(test.query('select count(*) as n from users')).toEqual([{ n: 30 }])
  scene.assertManners()
})

/** As many fields as one object may have. */
const manyFields = Array.from({ length: 10_000 }, (_, id) => `"name ${id}":1`).join()

it.each([
  ['a list', `[${Array.from({ length: 100_001 }, () => '1').join()}]`],
  ['objects', `[${Array.from({ length: 12 }, () => `{${manyFields}}`).join()}]`],
])('B2 an unknown field that is %s of more than a hundred thousand members is kept as a note', async (_, large) => {
  const scene = await startScene()
  const { test, server } = scene
  server.choose = ({ path }) =>
    resourceAt(path) === 'documents'
      ? wire.changed((body) => replaced(body, /"fileId"/, `"large":${large},"fileId"`))
      : undefined
  expect((await test.run('documents', 'full')).outcome).toBe('success')
  const [row] = test.query('select max(length(extra)) as n from documents')
  expect(Number(row?.['n'])).toBeLessThan(100)
  scene.assertManners()
})

it.each([65, 50_000, 200_000])('B5 an unknown field nested %i levels deep spoils no record', async (levels) => {
  const scene = await startScene()
  const { test, server } = scene
  server.choose = ({ path }) =>
    resourceAt(path) === 'users'
      ? wire.changed((body) => replaced(body, /"userId"/, `"deep":${deep(levels)},"userId"`))
      : undefined
  expect((await test.run('users', 'full')).outcome).toBe('success')
  expect(test.query('select count(*) as n from users')).toEqual([{ n: 20 }])
  expect(test.query('select count(*) as n from quarantine order by resource, key')).toEqual([{ n: 0 }])
  scene.assertManners()
})
