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

it('lists the records of a hold, of an empty list all of them, and quarantined records', async () => {
  const { mirror, query, acme } = await twoTenants()
  const [row] = query('select rid from users where user_id = 2 and tenant_id = ?', acme)
  const hold = { tenantId: acme, count: 1, message: 'gone', at: now }
  const held = await mirror.raiseHold({
    ...hold,
    ...{ resource: 'users', reason: 'shrink_held', cause: {}, rids: [Number(row?.['rid'])] },
  })
  expect(await mirror.heldRecords(held.id)).toEqual({ resource: 'users', ids: ['2'] })
  const cause = { emptiness: 'list' }
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
      ...{ since: now, lastSeenAt: now, requestId: 'req-3' },
    },
  ])
  expect((await mirror.heldRecords(empty.id))?.ids).toEqual(['1', '2', '3', '9'])
})
