import { expect, it } from 'vitest'
import { fenceOf, type Lease } from '../../../src/store/db/leases.ts'
import { idle, named, ownedOf, type Replica, world, worldOwning } from '../support/replicas.ts'

const four = named('t1', 't2', 't3', 't4')
const all = four.map(({ name }) => name)
const owned = (stores: Replica) => ownedOf(stores, four)

it.each([
  ['a living replica', 0, 2],
  ['one whose renewal is late', 4, 4],
])('leaves its share to %s: after %i s it takes %i of four', async (_what, seconds, taken) => {
  const { replica, age, query } = world()
  const [a, c] = [replica('a'), replica('c')]
  await a.configure(four)
  query(`insert into replicas (id, until, alone, tenants) select 'b', until, alone, tenants from replicas`)
  await a[Symbol.asyncDispose]()
  age(seconds, 'b')
  await c.configure(four)
  expect(owned(c)).toHaveLength(taken)
})

it('shares tenants only with replicas that have the same ones', async () => {
  const { replica, pass } = world()
  const [a, b] = [replica('a'), replica('b')]
  const others = named('t5', 't6')
  await b.configure(others)
  await a.configure(four)
  for (const one of [a, b]) one.begin(idle())
  await pass()
  expect([owned(a), ownedOf(b, others)]).toEqual([all, ['t5', 't6']])
})

it('writes nothing under a lease that it released, even after it took it again', async () => {
  const { a, pass } = await worldOwning(four)
  const released = a.of('t1')
  a.begin(idle())
  await a.configure(four.slice(1))
  while (a.of('t1') !== null) await pass()
  await a.configure(four)
  await expect(released?.write('too late')).rejects.toMatchObject({ reason: 'aborted' })
  await a.of('t1')?.write('in time')
})

it('lets nothing write under a lease of before a restart of the server, which may have lost commits', async () => {
  const { a, query } = await worldOwning(four)
  const lease = a.of('t1')?.lease as Lease
  const fences = [0, 1].map((before) => fenceOf('a', { ...lease, serverStart: lease.serverStart - before }))
  expect(fences.map((fence) => query(fence).length)).toEqual([1, 0])
})

it('takes a lease that lapsed again, under a new epoch', async () => {
  const { a, age } = await worldOwning(four)
  const before = a.of('t1')
  await a.configure(four)
  expect(a.of('t1')).toBe(before)
  age(11)
  await a.configure(four)
  expect(a.of('t1')?.lease.epoch).toBe((before?.lease.epoch ?? 0) + 1)
  expect(a.facts()).toMatchObject({ takeovers: 0, unowned: 0 })
})

it('counts leases of the future as lapsed: the clock of the database was set back', async () => {
  const { b, age } = await worldOwning(four)
  age(-3600)
  await b.configure(four)
  expect([owned(b), b.facts().unowned]).toEqual([all, 0])
})

it('registers again what a restore took away, and holds new leases', async () => {
  const { a, query } = await worldOwning(four)
  query(`delete from tenants where name = 't4'`)
  query('delete from leases where tenant_id not in (select id from tenants) and tenant_id > 0')
  await a.configure(four)
  expect([owned(a), a.of('t4')?.lease.tenantId]).toEqual([all, 5])
})
