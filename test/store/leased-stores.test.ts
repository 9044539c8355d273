import { expect, it, onTestFinished } from 'vitest'
import { unconfirmed } from '../../src/daemon/serve.ts'
import { EngineRunning } from '../../src/model/errors.ts'
import { secondMs } from '../../src/model/time.ts'
import { idle, named, ownedOf, type Replica, world, worldOwning } from './support/replicas.ts'

const tenants = named('t1', 't2')
const owned = (stores: Replica) => ownedOf(stores, tenants)

it('keeps the store of a tenant while it owns it, and has none while another replica does', async () => {
  const { a, b, age } = await worldOwning(tenants)
  expect(owned(a)).toEqual(['t1', 't2'])
  const store = a.of('t1')
  expect([a.of('t1') === store, a.of('t2') === store, a.shared() === null]).toEqual([true, false, false])
  await b.configure(tenants)
  expect([owned(b), b.shared()]).toEqual([[], null])
  age(11, 'a')
  await b.configure(tenants)
  expect(owned(b)).toEqual(['t1', 't2'])
  expect(b.facts()).toMatchObject({ takeovers: 2, unowned: 0 })
})

it('has no store six seconds after its last renewal, and its tenants count as unowned', async () => {
  const { a, time } = await worldOwning(tenants)
  const store = a.of('t1')
  const { unowned } = a.facts()
  time.ms = 6 * secondMs
  expect([owned(a), a.shared(), unowned]).toEqual([[], null, 0])
  expect([a.facts().unowned, unconfirmed({ stores: a })?.ok]).toEqual([2, false])
  await a.configure(tenants)
  expect([a.of('t1') === store, owned(a)]).toEqual([true, ['t1', 't2']])
})

it('gives its surplus back once the worker has ended the work for it', async () => {
  const { a, b, pass, ownerOf } = await worldOwning(tenants)
  const followed: (readonly string[])[] = []
  const ended = Promise.withResolvers<void>()
  onTestFinished(() => ended.resolve())
  a.of('t2')
  a.begin(
    idle(() => {
      followed.push(owned(a))
      return ended.promise
    }),
  )
  await b.configure(tenants)
  while (followed.length === 0) {
    await b.configure(tenants)
    await pass()
  }
  expect([followed[0], ownerOf('t2'), a.facts().unowned]).toEqual([['t1'], 'a', 1])
  ended.resolve()
  while (ownerOf('t2') === 'a') await pass()
  await b.configure(tenants)
  expect([owned(a), owned(b)]).toEqual([['t1'], ['t2']])
})

it('gives back only a tenant without a run, and without a tenant the rows of none', async () => {
  const { a, b, pass } = await worldOwning(tenants)
  a.begin({ isIdle: (name) => name === 't1', follow: async () => {} })
  while (owned(b).length === 0) {
    await b.configure(tenants)
    await pass()
  }
  expect([owned(a), owned(b)]).toEqual([['t2'], ['t1']])
  await a.configure(tenants.slice(0, 1))
  while (b.shared() === null) {
    await b.configure(tenants.slice(0, 1))
    await pass()
  }
  expect([owned(a), a.shared(), owned(b)]).toEqual([[], null, ['t1']])
})

it('gives back tenants that are not configured any more, and keeps them if the worker cannot end their work', async () => {
  const { a, pass, ownerOf } = await worldOwning(tenants)
  let fails = 2
  a.begin(
    idle(async () => {
      if (fails-- > 0) throw new Error('The work does not end')
    }),
  )
  await a.configure(tenants.slice(1))
  await pass()
  expect([ownerOf('t1'), ownerOf('t2')]).toEqual(['a', 'a'])
  while (ownerOf('t1') !== null) await pass()
  await a.configure(tenants)
  expect(owned(a)).toEqual(['t1', 't2'])
})

it('has the tenants that were configured last, even if the database confirms them later', async () => {
  const { replica, trouble, pass } = world()
  const a = replica('a')
  await a.configure(tenants.slice(1))
  trouble.code = 'ECONNREFUSED'
  await expect(a.configure(tenants)).rejects.toMatchObject({ reason: 'store' })
  trouble.code = ''
  while (owned(a).length < 2) await pass()
})

it('renews and takes nothing while the tables are those of another version', async () => {
  const { a, trouble, time } = await worldOwning(tenants)
  trouble.isNewer = true
  time.ms = 6 * secondMs
  await expect(a.configure(tenants)).rejects.toThrow('newer')
  expect(owned(a)).toEqual([])
})

it('leaves its tenants to the others when it ends', async () => {
  const { a, b } = await worldOwning(tenants)
  await b.configure(tenants)
  await a[Symbol.asyncDispose]()
  await b.configure(tenants)
  expect(owned(b)).toEqual(['t1', 't2'])
})

it('shows who owns a tenant and since when, and since when nobody does', async () => {
  const { b, age, query } = await worldOwning(tenants)
  query(`insert into tenants (name, base_url, created_at) values ('t0', 'https://x', 1)`)
  const before = await b.owners()
  expect(before.get('t0')).toEqual({ replica: null, isAlive: false, heartbeatAgeMs: null, since: null })
  expect(before.get('t1')).toMatchObject({ replica: 'a', isAlive: true, since: expect.closeTo(Date.now(), -5) })
  age(11, 'a')
  const after = (await b.owners()).get('t1')
  expect(after).toMatchObject({ replica: 'a', isAlive: false })
  expect(after?.heartbeatAgeMs).toBeGreaterThanOrEqual(11 * secondMs)
  expect(after?.since).toBeLessThanOrEqual(Date.now() - 10 * secondMs)
})

it('knows tenants as removed a day after the last replica had them in its configuration', async () => {
  const { a, query } = await worldOwning(tenants)
  expect(await a.removed(['t1'])).toEqual([])
  query(`update leases set until = until - interval '25 hours'`)
  expect([await a.removed(['t1']), await a.removed(['t1', 't2'])]).toEqual([['t2'], []])
})

it('works alone once no other process lives, and refuses while one does', async () => {
  const { replica, pass, query } = world()
  const [a, command] = [replica('a'), replica('c', true)]
  await a.configure(tenants)
  const state = { ended: false }
  const refused = command.configure([]).finally(() => {
    state.ended = true
  })
  refused.catch(() => {})
  while (!state.ended) await pass()
  await expect(refused).rejects.toBeInstanceOf(EngineRunning)
  expect(query('select id from replicas')).toEqual([{ id: 'a' }])
  await a[Symbol.asyncDispose]()
  await command.configure([])
  await command.shared()?.write('written')
  expect(query('select name from tenants order by name')).toMatchObject([
    { name: 't1' },
    { name: 't2' },
    { name: 'written' },
  ])
})

it('writes nothing alone once another process has taken over, and knows removed tenants at once', async () => {
  const { replica, age, query } = world()
  const [command, a] = [replica('c', true), replica('a')]
  await command.configure(tenants)
  expect([owned(command), await command.removed(['t1'])]).toEqual([['t1', 't2'], ['t2']])
  const store = command.shared()
  await a.configure(tenants)
  expect(owned(a)).toEqual([])
  age(11, 'c')
  await a.configure(tenants)
  await expect(store?.write('too late')).rejects.toMatchObject({ reason: 'aborted' })
  expect([owned(a), query('select name from tenants').length]).toEqual([['t1', 't2'], 2])
})
