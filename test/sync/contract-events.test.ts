import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import type { Envelope } from '../../src/simulator/index.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'

const quiet = { userDetails: { perRun: 0 } }
const loggedFields = ({ observed }: TestEngine) =>
  observed.logged.flatMap(([, given]) => ('fields' in given ? [given.fields] : []))

it('counts unknown fields once a field and run, and keeps their values', async () => {
  const test = await testEngine({
    problems: false,
    readings: { unknownFields: true, defaultPageSize: { users: 5 } },
    sizes: { users: 20 },
    settings: quiet,
  })
  await test.run('users', 'full')
  // Two of the records, three of the envelope.
  expect(test.observed.events).toEqual(Array(5).fill('users unknown_field'))
  await test.run('users', 'incremental')
  expect(test.observed.events).toHaveLength(8)
  await test.run('users', 'full')
  expect(test.observed.events).toHaveLength(13)
  expect((await test.exported('users'))[0]).toMatchObject({ locale: 'en-GB', avatar: null })
})

it('counts a state that the specification does not show, and a document status that is not configured', async () => {
  const test = await testEngine({ problems: false, sizes: { users: 6, documents: 6 }, settings: quiet })
  await test.runAll('full')
  expect(test.observed.events).toEqual([])
  const [one, two] = [...test.sim.primary.users.all()]
  test.sim.primary.users.update(one?.userId ?? 0, { state: 'Locked' })
  test.sim.primary.users.update(two?.userId ?? 0, { state: 'Gone fishing' })
  test.sim.primary.documents.add({ uploadStatus: 'Shredded' })
  await test.run('users', 'full')
  await test.run('documents', 'incremental')
  expect(test.observed.events).toEqual(['users unknown_value', 'documents unknown_value'])
  expect(loggedFields(test)).toEqual([
    { unknown_value: [expect.stringMatching(/^state \("(Locked|Gone fishing)", users\.knownStates\)$/)] },
    { unknown_value: ['uploadStatus ("Shredded", documents.knownStatuses)'] },
  ])
  await test.restart({ documents: { knownStatuses: ['Completed', 'Shredded'] } })
  await test.run('documents', 'full')
  expect(test.observed.events).toHaveLength(2)
  await test.restart({ users: { knownStates: ['Active', 'Invited', 'Locked', 'Gone fishing'] } })
  await test.run('users', 'full')
  expect(test.observed.events).toHaveLength(2)
})

it.each([
  ['a secret', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[withheld: string of 49 characters]'],
  ['an e-mail address', `${'Locked '.repeat(8)}by ann@example.com`, `${'Locked '.repeat(8)}by [`],
])('hides a state that looks like %s from the log', async (_what, state, shown) => {
  const test = await testEngine({ problems: false, sizes: { users: 3 }, settings: quiet })
  const [one] = [...test.sim.primary.users.all()]
  test.sim.primary.users.update(one?.userId ?? 0, { state })
  await test.run('users', 'full')
  expect(loggedFields(test)).toEqual([{ unknown_value: [`state ("${shown}", users.knownStates)`] }])
})

it('counts a page size other than the requested one once per run, and continues', async () => {
  const test = await testEngine({
    problems: false,
    sizes: { users: 12, documents: 12 },
    readings: { pageSizeParameter: 'limit', maxPageSize: { users: 4, documents: 200 } },
    settings: { ...quiet, api: { pageSizeParameter: 'limit', pageSize: 6 } },
  })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', counts: { created: 12 } })
  expect(test.observed.events).toEqual(['users limit_differs'])
  expect(await test.run('documents', 'full')).toMatchObject({ outcome: 'success' })
  await test.runAll('full')
  expect(test.observed.events).toEqual(['users limit_differs', 'users limit_differs'])
  await test.restart({ api: { pageSizeParameter: { users: null, documents: 'limit' }, pageSize: 6 } })
  await test.runAll('full')
  expect(test.observed.events).toHaveLength(2)
})

it('counts users that come out of the order the specification promises, once a run', async () => {
  const test = await testEngine(paged)
  const swap = test.sim.faults.add({
    path: '/api/public/users',
    effect: ofData((data: object[]) => data.toReversed()),
  })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', counts: { created: 12 } })
  expect(test.observed.events).toEqual(['users order_violation'])
  test.sim.faults.remove(swap.id)
  await test.run('users', 'full')
  expect(test.observed.events).toHaveLength(1)
})

const paged = { problems: false, sizes: { users: 12 }, readings: { defaultPageSize: { users: 5 } }, settings: quiet }

it('counts an e-mail that two users have, in any letter case, once each full sync, and warns of it once', async () => {
  const test = await testEngine(paged)
  const [first] = [...test.sim.primary.users.all()]
  const email = first?.email?.toUpperCase() ?? ''
  const twins = [1, 2].map(() => test.sim.primary.users.add({ email }))
  await test.run('users', 'full')
  await test.run('users', 'incremental')
  await test.run('users', 'full')
  expect(test.observed.events).toEqual(['users duplicate_email', 'users duplicate_email'])
  expect(test.observed.log.filter((line) => line.startsWith('warn'))).toHaveLength(1)
  for (const { userId } of twins) test.sim.primary.users.update(userId, { email: `${userId}.${first?.email}` })
  await test.run('users', 'full')
  expect(test.observed.events).toHaveLength(2)
})

it('counts no e-mail that was given to another user while a refused cursor made the full sync begin again', async () => {
  const test = await testEngine(paged)
  const { users } = test.sim.primary
  const ids = users.all().map(({ userId }) => userId)
  const [one = 0, last = 0] = [ids[0], ids.at(-1)]
  const email = users.find(one)?.email ?? ''
  const remove = test.sim.onRequest(({ path, page }) => {
    if (path !== '/api/public/users' || page !== 2) return
    remove()
    test.sim.invalidateCursors()
    users.update(one, { email: `new.${email}` })
    users.update(last, { email })
  })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', counts: { created: 12 } })
  expect(users.find(last)?.email).toBe(email)
  expect(test.observed.events).toEqual([])
})

it('counts fields of the envelope that the specification does not name, and a missing error, once a run', async () => {
  const test = await testEngine({
    problems: false,
    readings: { defaultPageSize: { users: 5 } },
    sizes: { users: 12 },
    settings: quiet,
  })
  const secretLike = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  const transform = ({ error: _, ...envelope }: Envelope) => ({
    ...(envelope as Envelope),
    errors: [{ message: 'timeout on shard 2' }],
    [secretLike]: true,
    meta: { ...Object(envelope.meta), warnings: ['timeout on shard 2'] },
    pagination: { ...Object(envelope.pagination), total: 13 },
  })
  test.sim.faults.add({ path: '/api/public/users', effect: { kind: 'transform', transform } })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', counts: { created: 12 } })
  expect(test.observed.events.toSorted()).toEqual([...Array(4).fill('users unknown_field'), 'users unknown_value'])
  expect(loggedFields(test)).toEqual([
    {
      unknown_value: ['error (missing)'],
      unknown_field: ['errors', '[withheld: name of 49 characters]', 'meta.warnings', 'pagination.total'],
    },
  ])
  const stored = JSON.stringify([test.observed.logged, await test.exported('users')])
  expect(stored).not.toContain('shard 2')
  // Nothing else is read of an unchanged page.
  await test.run('users', 'full')
  expect(test.observed.events).toHaveLength(10)
})

it('counts no more than 2000 fields a run, and names ten in the log', async () => {
  const test = await testEngine({ problems: false, sizes: { users: 30 }, settings: quiet })
  const fields = (user: number) => Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`f${user}x${i}`, i]))
  const effect = ofData((data: object[]) => data.map((user, i) => ({ ...user, ...fields(i) })))
  test.sim.faults.add({ path: '/api/public/users', effect })
  await test.run('users', 'full')
  expect(test.observed.events).toHaveLength(2000)
  const named = Array.from({ length: 10 }, () => expect.stringMatching(`^f0x\\d+$`))
  expect(loggedFields(test)).toEqual([{ unknown_field: named }])
})

it('warns of the same deviations once an hour, and of a new one at once', async () => {
  const test = await testEngine({ problems: false, sizes: { users: 3 }, settings: quiet })
  const [one] = [...test.sim.primary.users.all()]
  const warned = async () => {
    await test.run('users', 'full')
    return test.observed.log.splice(0).filter((line) => line.startsWith('warn'))
  }
  test.sim.primary.users.update(one?.userId ?? 0, { state: 'Locked' })
  expect(await warned()).toHaveLength(1)
  test.clock.advance(hourMs - minuteMs)
  expect(await warned()).toEqual([])
  test.sim.primary.users.update(one?.userId ?? 0, { state: 'Gone fishing' })
  expect(await warned()).toHaveLength(1)
  test.sim.primary.users.update(one?.userId ?? 0, { state: 'Locked' })
  test.clock.advance(minuteMs)
  expect(await warned()).toHaveLength(1)
  expect(await warned()).toEqual([])
})
