import { expect, it } from 'vitest'
import { now } from '../checks/support/evaluator.ts'
import { incomingUser } from './support/incoming-user.ts'
import { twoTenants } from './support/two-tenants.ts'

it('reads names as they were at a time, of the wanted tenant and ids only', async () => {
  const { mirror, acme, globex } = await twoTenants()
  const items = [incomingUser(1, { lastName: 'Lovelace' })]
  await mirror.commitPage({
    tenantId: acme,
    resource: 'users',
    items,
    at: now + 1000,
    requestId: 'req-2',
    recordCreations: true,
  })
  const namesAt = async (at: number, present = false) => {
    const past = await mirror.past(at, present)
    const found = await past.personal(acme, 'users', ['1', '2', '77', 'ada@example.com'])
    return [...found].map(([id, { lastName }]) => [id, lastName])
  }
  expect(await namesAt(now + 2000, true)).toEqual([
    ['1', 'Lovelace'],
    ['2', 'acme'],
  ])
  expect(await namesAt(now)).toEqual([
    ['1', 'acme'],
    ['2', 'acme'],
  ])
  const past = await mirror.past(now, true)
  expect((await past.personal(globex, 'documents', ['x'])).size).toBe(0)
  expect((await past.personal(acme, 'roles', ['1'])).size).toBe(0)
})

it('gives a hold that is raised again after it was accepted another id', async () => {
  const { mirror, acme } = await twoTenants()
  const cause = { resource: 'users', reason: 'shrink_held', cause: {}, rids: [1] } as const
  const raise = (at: number) => mirror.raiseHold({ tenantId: acme, count: 1, message: 'gone', at, ...cause })
  const held = await raise(now)
  expect(await raise(now + 1)).toEqual(held)
  await mirror.decide({ holdId: held.id, reason: 'They left', at: now + 2 })
  expect((await raise(now + 3)).id).toBe(held.id)
  for (const decision of await mirror.pendingDecisions(acme))
    await mirror.applyDecision(decision, { tenantId: acme, at: now + 4, coversKnown: false })
  const again = await raise(now + 5)
  expect(again).toMatchObject({ raisedAt: now + 5 })
  expect(again.id).not.toBe(held.id)
  expect((await mirror.holds(acme)).map(({ id }) => id)).toEqual([again.id])
})

it('lists the records of a hold, of an empty list all of them, and quarantined records', async () => {
  const { mirror, query, acme } = await twoTenants()
  const [row] = query('select rid from users where user_id = 2 and tenant_id = ?', acme)
  const hold = { tenantId: acme, count: 1, message: 'gone', at: now }
  const held = await mirror.raiseHold({
    ...hold,
    ...{ resource: 'users', reason: 'shrink_held', cause: {}, rids: [Number(row?.['rid'])] },
  })
  expect(await mirror.heldRecords(held.id)).toEqual({ resource: 'users', ids: ['2'] })
  const cause = { emptiness: 'list' } as const
  const empty = await mirror.raiseHold({ ...hold, resource: 'users', reason: 'suspect_empty', cause })
  expect((await mirror.heldRecords(empty.id))?.ids).toEqual(['1', '2', '3'])
  const other = await mirror.raiseHold({ ...hold, resource: 'all', reason: 'tenant_changed', cause: {} })
  expect(await mirror.heldRecords(other.id)).toBeNull()
  expect(await mirror.heldRecords('nothing')).toBeNull()
  const bad = { ok: false as const, id: 9, raw: { userId: 9 }, problem: 'state is missing' }
  await mirror.commitPage({
    tenantId: acme,
    resource: 'users',
    items: [bad],
    at: now,
    requestId: 'req-3',
    recordCreations: true,
  })
  expect(await mirror.quarantined()).toEqual([
    {
      ...{ tenant: 'acme', resource: 'users', id: '9', problem: 'state is missing' },
      ...{ since: now, requestId: 'req-3' },
    },
  ])
  expect((await mirror.heldRecords(empty.id))?.ids).toEqual(['1', '2', '3', '9'])
})
