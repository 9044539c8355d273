import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import type { HoldRow } from '../../src/store/port.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { seenEvents } from '../support/events.ts'
import { accept, ending, first, heldBack, live, theHold } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }
const decided = (test: TestEngine) => {
  const applied = seenEvents(test.query, 'hold.applied')
  return seenEvents(test.query, 'hold.accepted').map(({ subject, reason, count }) => {
    return {
      hold_id: subject,
      reason,
      count,
      applied_at: applied.find((one) => one['subject'] === subject)?.['at'] ?? null,
    }
  })
}

async function holdOf(test: TestEngine, resource: string): Promise<HoldRow> {
  const found = (await test.mirror.holds()).find((hold) => hold.resource === resource)
  if (found === undefined) throw new Error(`There is no hold of ${resource}`)
  return found
}

async function shrunk(): Promise<TestEngine> {
  const test = await testEngine({ settings, sizes: { users: 60, documents: 60 } })
  await test.runAll('full')
  test.sim.primary.users.removeWhere(first(20))
  test.sim.primary.documents.removeWhere(first(20))
  await test.run('users', 'full')
  for (let n = 0; n < 2; n++) await test.run('documents', 'full')
  test.sim.faults.add({ path: '/api/public/api-clients', effect: { kind: 'empty' } })
  await test.run('api-clients')
  return test
}

it('a decision is one row, applied before the next run of whichever resource, and only once', async () => {
  const test = await shrunk()
  const hold = await holdOf(test, 'users')
  await accept(test, hold)
  expect(decided(test)).toEqual([{ hold_id: hold.id, reason: 'Checked with the owner', count: 20, applied_at: null }])
  test.clock.advance(minuteMs)
  await test.run('authentication-settings')
  const applied = decided(test)
  expect(applied).toMatchObject([{ applied_at: test.clock.now() }])
  expect(test.query('select * from accepted_removals')).toHaveLength(20)
  await test.restart()
  expect(await test.engine.due('run')).toContainEqual({ resource: 'users', mode: 'full' })
  test.clock.advance(minuteMs)
  await test.run('roles')
  expect(decided(test)).toEqual(applied)
})

it('the id of a hold that ended accepts no later hold of the same records', async () => {
  const test = await shrunk()
  const { id } = await holdOf(test, 'api-clients')
  test.clock.advance(minuteMs)
  await test.run('api-clients')
  expect((await holdOf(test, 'api-clients')).id).toBe(id)
  test.sim.faults.clear()
  await test.run('api-clients')
  expect(await heldBack(test)).toEqual(['documents shrink_held 20', 'users shrink_held 20'])
  test.clock.advance(minuteMs)
  test.sim.faults.add({ path: '/api/public/api-clients', effect: { kind: 'empty' } })
  await test.run('api-clients')
  expect((await holdOf(test, 'api-clients')).id).not.toBe(id)
  await expect(test.mirror.decide({ holdId: id, reason: 'An old ticket', at: test.clock.now() })).rejects.toThrow()
})

it('a decision about the former content of a hold has no effect on its present content', async () => {
  const test = await shrunk()
  const hold = await holdOf(test, 'users')
  test.sim.primary.users.removeWhere(first(5))
  let decision: Promise<void> | null = null
  const end = test.sim.onRequest(async () => {
    end()
    decision = accept(test, hold)
    await decision
  })
  expect(ending(await test.run('users', 'full'))).toBe('shrink_held')
  expect(decision).not.toBeNull()
  expect(ending(await test.run('users', 'full'))).toBe('shrink_held')
  expect(live(test, 'users')).toBe(60)
  expect(await holdOf(test, 'users')).toMatchObject({ count: 25 })
})

it('a hold that shrinks below the limits ends, and the remaining records are removed', async () => {
  const test = await testEngine({ settings, sizes: { users: 60 } })
  await test.run('api-clients')
  await test.run('users', 'full')
  const gone = [...test.sim.primary.users.all()].slice(0, 20)
  test.sim.primary.users.removeWhere(first(20))
  await test.run('users', 'full')
  expect((await theHold(test)).count).toBe(20)
  for (const user of gone.slice(0, 16)) test.sim.primary.users.add({ ...user, roleId: Number(user.roleId) })
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
  expect(live(test, 'users')).toBe(56)
})

it('a hold lasts while its list is off, although an incremental sync succeeded after it was raised', async () => {
  const test = await shrunk()
  const hold = await holdOf(test, 'users')
  test.clock.advance(minuteMs)
  expect(ending(await test.run('users'))).toBe('success')
  for (const enabled of [false, true]) await test.restart({ resources: { users: { enabled } } })
  expect(await holdOf(test, 'users')).toEqual(hold)
})

it('a decision brings the full sync of what is held forward until one was tried', async () => {
  const test = await shrunk()
  expect(await test.engine.broughtForward()).toEqual([])
  await accept(test, await holdOf(test, 'users'))
  const full = (resource: string) => ({ resource, mode: 'full' })
  // This run applies the decision, and is no full sync of users.
  await test.run('roles')
  expect(await test.engine.broughtForward()).toEqual([full('users')])
  await accept(test, await holdOf(test, 'documents'))
  expect(await test.engine.broughtForward()).toEqual([full('users'), full('documents')])
  test.sim.faults.add({ path: '/api/public/users', effect: { kind: 'status', status: 500 } })
  expect(ending(await test.run('users', 'full'))).not.toBe('success')
  expect(await test.engine.broughtForward()).toEqual([full('documents')])
})

it('the end of a tenant hold brings the full syncs forward that it refused, and changed roles those of their readers', async () => {
  const test = await testEngine({ settings })
  await test.runAll('full')
  test.useToken(test.sim.tokens.secondReader)
  for (const resource of ['api-clients', 'roles'] as const) await test.run(resource)
  expect(await heldBack(test)).toEqual([expect.stringMatching(/^all tenant_changed/)])
  expect(await test.engine.broughtForward()).toEqual([])
  test.useToken(test.sim.tokens.reader)
  test.clock.advance(60 * minuteMs)
  await test.run('api-clients')
  expect(await heldBack(test)).toEqual([])
  expect(await test.engine.broughtForward()).toEqual([{ resource: 'roles', mode: 'full' }])
  await test.run('roles')
  expect(await test.engine.broughtForward()).toEqual([])
  test.sim.primary.roles.add({ name: 'New' })
  await test.run('roles')
  const forward = async () => (await test.engine.broughtForward()).map(({ resource }) => resource)
  expect(await forward()).toEqual(['api-clients', 'users'])
  const end = test.sim.onRequest(async () => {
    end()
    test.sim.primary.roles.add({ name: 'Newer' })
    await test.run('roles')
  })
  await test.run('api-clients')
  expect(await forward()).toEqual(['users', 'api-clients'])
})
