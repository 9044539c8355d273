import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import { bothSides, type TestEngine, testEngine } from '../support/engine.ts'

/** Five pages of users; the first page is always read. */
async function syncedTwice(perRun = 0): Promise<TestEngine> {
  const test = await testEngine({
    sizes: { users: 23, documents: 4 },
    readings: { defaultPageSize: { users: 5 } },
    settings: { userDetails: { perRun } },
  })
  for (const _ of [1, 2]) await test.run('users', 'full')
  return test
}

const userAt = ({ sim }: TestEngine, index: number) => [...sim.primary.state.users()][index]?.userId ?? 0

/** Writes into the mirror behind the engine's back: what is not read again stays so. */
function tamper(test: TestEngine, userId: number): void {
  const database = new BetterSqlite3(test.path)
  database.prepare("update users set first_name = 'Tampered' where user_id = ?").run(userId)
  database.close()
}

const tampered = (test: TestEngine) => test.query("select user_id from users where first_name = 'Tampered'").length

it('does not decode a page again that is byte for byte the same, and counts it as unchanged', async () => {
  const test = await syncedTwice()
  for (const index of [7, 22]) tamper(test, userAt(test, index))
  const { counts, outcome } = await test.run('users', 'full')
  expect([outcome, counts.created, counts.updated, counts.unchanged, counts.removed]).toEqual(['success', 0, 0, 23, 0])
  expect(tampered(test)).toBe(2)
})

it('reads every page again under another configuration', async () => {
  const test = await syncedTwice()
  tamper(test, userAt(test, 7))
  await test.restart({ documents: { overlapMs: 1 } })
  expect((await test.run('users', 'full')).counts.updated).toBe(1)
  expect(tampered(test)).toBe(0)
})

it('knows the pages after a restart, also those of a resumed full sync', async () => {
  const test = await syncedTwice()
  tamper(test, userAt(test, 12))
  await test.restart()
  const stop = new AbortController()
  const end = test.sim.onRequest(({ page }) => (page === 2 ? stop.abort() : undefined))
  expect(await test.run('users', 'full', stop.signal)).toMatchObject({ reason: 'aborted' })
  end()
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(tampered(test)).toBe(1)
})

it.each([
  [
    'a change',
    (test: TestEngine) => test.sim.primary.updateUser(userAt(test, 13), { mfaStatus: false, state: 'Left' }),
  ],
  ['a newcomer', ({ sim }: TestEngine) => sim.primary.addUser()],
  ['a newcomer in the middle', ({ sim }: TestEngine) => sim.primary.addUserInTheMiddle()],
  ['a leaver', (test: TestEngine) => test.sim.primary.removeUser(userAt(test, 13))],
])('becomes equal to the tenant after %s', async (_, happens) => {
  const test = await syncedTwice(200)
  await test.run('users', 'full')
  happens(test)
  expect((await test.run('users', 'full')).outcome).toBe('success')
  const { mirrored, truth } = await bothSides(test, ['users'])
  expect(mirrored).toEqual(truth)
})

it('reports a deviation on a page in each run, although the page is the same', async () => {
  const test = await syncedTwice()
  test.sim.primary.updateUser(userAt(test, 13), { state: 'Suspended' })
  for (const _ of [1, 2, 3]) await test.run('users', 'full')
  expect(test.observed.events).toEqual(['users unknown_value', 'users unknown_value', 'users unknown_value'])
})

it('does not read again a page that deviates from the contract', async () => {
  const test = await syncedTwice()
  test.sim.primary.updateUser(userAt(test, 13), { state: 'Suspended' })
  await test.run('users', 'full')
  tamper(test, userAt(test, 13))
  await test.run('users', 'full')
  expect(tampered(test)).toBe(1)
  expect(test.observed.events).toEqual(['users unknown_value', 'users unknown_value'])
})

it('logs the deviations of a run in one line, however many there are', async () => {
  const test = await testEngine({ problems: false, sizes: { users: 30 }, settings: { userDetails: { perRun: 0 } } })
  for (const { userId } of test.sim.primary.state.users()) {
    const raw = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`a${userId}x${n}`, 1]))
    test.sim.primary.updateUser(userId, { raw: { ...raw, [`${userId}@example.com`]: 1 } })
  }
  await test.run('users', 'full')
  const logged = test.observed.logged.filter(
    ([message]) => message === "The tenant's API deviates from its specification",
  )
  expect(logged).toHaveLength(1)
  expect(logged[0]?.[1]).toMatchObject({ resource: 'users', counts: { unknown_field: 2000 } })
  expect(JSON.stringify(logged)).not.toContain('@example.com')
  expect(JSON.stringify(logged).length).toBeLessThan(1000)
})

it('logs the same deviations again only after an hour, and others at once', async () => {
  const test = await testEngine({ problems: false, sizes: { users: 3 }, settings: { userDetails: { perRun: 0 } } })
  const [user] = test.sim.primary.state.users()
  const deviate = (raw: object) => test.sim.primary.updateUser(Number(user?.userId), { raw: { ...raw } })
  const lines = async () => {
    await test.run('users', 'full')
    return test.observed.log.filter((line) => line.startsWith("warn The tenant's API deviates")).length
  }
  deviate({ one: 1 })
  expect([await lines(), await lines()]).toEqual([1, 1])
  deviate({ other: 1 })
  expect(await lines()).toBe(2)
  deviate({ one: 1 })
  expect(await lines()).toBe(2)
  test.clock.advance(hourMs)
  expect(await lines()).toBe(3)
})
