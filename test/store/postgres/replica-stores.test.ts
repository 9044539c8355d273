import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { minuteMs } from '../../../src/model/durations.ts'
import { silentLog } from '../../../src/model/log.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { postgresMirror } from '../../../src/store/postgres/postgres-mirror.ts'
import { ReplicaStores } from '../../../src/store/postgres/replicas/replica-stores.ts'
import { testPostgres, testTiming } from '../../support/postgres.ts'

const tenants = ['t1', 't2'].map((name) => ({ name, baseUrl: 'https://x' }))

function world() {
  const postgres = testPostgres()
  const beside = postgres.connect()
  onTestFinished(async () => {
    await beside[Symbol.asyncDispose]()
    await postgres.drop()
  })
  const time = { ms: 0 }
  const logged: unknown[] = []
  const note = (about: object, text: string) => void logged.push({ ...about, text })
  const log = { ...silentLog(), info: note, warn: note }
  const sleeping: { readonly ms: number; readonly wake: () => void }[] = []
  const clock = {
    now: () => 1_000_000 + time.ms,
    monotonic: () => time.ms,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake) => {
        sleeping.push({ ms, wake })
        if (signal?.aborted === true) wake()
        signal?.addEventListener('abort', () => wake())
      }),
  }
  return {
    time,
    logged,
    query: postgres.query,
    replica(id: string): ReplicaStores {
      const sessions = postgres.connect()
      const database = new PostgresDatabase(sessions, testTiming)
      const storeOver = (fenced: PostgresDatabase) =>
        postgresMirror({ database: fenced, async [Symbol.asyncDispose]() {} })
      const parts = { heartbeats: database, database, storeOver, clock, random: () => 0.5, log }
      const stores = new ReplicaStores({ ...parts, id })
      onTestFinished(async () => {
        await stores[Symbol.asyncDispose]()
        await sessions[Symbol.asyncDispose]()
      })
      return stores
    },
    /** Wakes all that sleep now, and lets them work. */
    async pass(): Promise<void> {
      for (const { wake } of sleeping.splice(0)) wake()
      for (let turns = 0; turns < 50; turns++) await nextTurn()
    },
    /** However slow this machine is. A query that blocks this thread would wait for the transactions that it keeps from ending. */
    async stayAlive(id: string): Promise<void> {
      const session = await beside.take()
      await session.sendText(
        `update replicas set seen_at = clock_timestamp(), began_at = began_at - interval '11 seconds' where id = '${id}'`,
      )
      session.release(false)
    },
    die: (id: string) =>
      void postgres.query(`update replicas set seen_at = seen_at - interval '11 seconds' where id = ?`, id),
  }
}

const same = async () => 'digest'

const owned = (stores: ReplicaStores) => tenants.filter(({ name }) => stores.of(name) !== null).map(({ name }) => name)

it('gives the same store while a tenant stays its own, and none while it is another replica’s', async () => {
  const { replica, die } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.configure(tenants, 1, same)
  expect(owned(a)).toEqual(['t1', 't2'])
  const store = a.of('t1')
  expect(a.of('t1')).toBe(store)
  await b.configure(tenants, 1, same)
  expect([owned(b), b.shared()]).toEqual([[], null])
  die('a')
  await b.configure(tenants, 1, same)
  expect(owned(b)).toEqual(['t1', 't2'])
  await expect(store?.noteTenant(1, { blockedUntil: 5 })).rejects.toMatchObject({ reason: 'aborted' })
  await b.of('t1')?.noteTenant(1, { blockedUntil: 6 })
  expect(b.facts()).toMatchObject({ takeovers: 2, unowned: 0 })
})

it('counts its tenants as unowned while its heartbeats are late', async () => {
  const { replica, time } = world()
  const a = replica('a')
  await a.configure(tenants, 1, same)
  const { owned: before, unowned } = a.facts()
  time.ms = 6000
  expect([unowned, a.facts().unowned, a.facts().isConfirmed, a.facts().owned === before]).toEqual([0, 2, false, false])
})

it('gives a tenant back once its worker has ended the work for it', async () => {
  const { replica, pass, query, stayAlive } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.configure(tenants, 1, same)
  const ofA = async () => (await query(`select tenant_id from tenant_owners where owner = 'a'`)).length
  const before = await ofA()
  const told: (readonly string[])[] = []
  const ended = Promise.withResolvers<void>()
  onTestFinished(() => ended.resolve())
  const follow = () => {
    told.push(owned(a))
    return ended.promise
  }
  a.begin({ isIdle: () => true, follow })
  await b.configure(tenants, 1, same)
  await stayAlive('b')
  while (told.length === 0) await pass()
  // Over the connection by which it would be given back.
  for (let queries = 0; queries < 50; queries++) await a.owners()
  expect([told[0]?.length, await ofA(), a.facts().unowned]).toEqual([1, before, 1])
  ended.resolve()
  while ((await ofA()) === before) await pass()
  await b.configure(tenants, 1, same)
  expect([...owned(a), ...owned(b)].sort()).toEqual(['t1', 't2'])
  while (a.facts().unowned > 0) await pass()
})

/** As a backup from before `t2` was configured, into which another replica put another tenant with its id. */
function restore(query: ReturnType<typeof world>['query']): void {
  query(`update tenants set name = 'other' where name = 't2'`)
  query(`update tenant_owners set owner = null where tenant_id in (select id from tenants where name = 'other')`)
  query(`update replicas set seen_at = seen_at - interval '1 second' where id = 'a'`)
}

it('writes no tenant under the id of another one after a restore', async () => {
  const { replica, pass, query } = world()
  const a = replica('a')
  await a.configure(tenants, 1, same)
  const [one, two] = [a.of('t1'), a.of('t2')]
  const before = (await two?.openTenant('t2', 'https://x', 1))?.tenant.id
  const told: (readonly string[])[] = []
  a.begin({ isIdle: () => true, follow: async () => void told.push(owned(a)) })
  restore(query)
  while (a.of('t1') === one || owned(a).length < 2) await pass()
  const epochs = () => query(`select epoch from tenant_owners where owner = 'a' and tenant_id = 1`)
  expect(epochs()).toEqual([{ epoch: 2 }])
  const after = (await a.of('t2')?.openTenant('t2', 'https://x', 1))?.tenant.id
  expect(query('select name from tenants order by id').map(({ name }) => name)).toEqual(['t1', 'other', 't2'])
  expect(after).not.toBe(before)
  await expect(one?.noteTenant(1, { blockedUntil: 5 })).rejects.toMatchObject({ reason: 'aborted' })
  await expect(two?.noteTenant(before ?? 0, { blockedUntil: 5 })).rejects.toMatchObject({ reason: 'aborted' })
  expect(query(`select owner from tenant_owners where tenant_id = ${before}`)).toEqual([{ owner: null }])
  while (told.at(-1)?.length !== 2) await pass()
})

it.each([
  ['and its owner', true],
  ['alone', false],
])('adds a tenant again that was deleted %s, and counts it as unowned until then', async (_, isWhole) => {
  const { replica, pass, query } = world()
  const a = replica('a')
  await a.configure(tenants, 1, same)
  a.begin({ isIdle: () => true, follow: async () => {} })
  const one = a.of('t1')
  if (isWhole) query(`delete from tenant_owners where tenant_id in (select id from tenants where name = 't2')`)
  query(`delete from tenants where name = 't2'`)
  while (a.facts()?.unowned === 0) await pass()
  expect(a.facts()?.unowned).toBe(1)
  while (a.of('t2') === null || a.facts()?.unowned !== 0) await pass()
  expect(query('select name from tenants order by id').map(({ name }) => name)).toEqual(['t1', 't2'])
  // What works on it goes on.
  expect(a.of('t1')).toBe(one)
})

it('gives back only a tenant of which no run is under way', async () => {
  const { replica, pass, stayAlive } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.configure(tenants, 1, same)
  let isIdle = false
  const told: (readonly string[])[] = []
  a.begin({ isIdle: (name) => name === 't2' && isIdle, follow: async () => void told.push(owned(a)) })
  await b.configure(tenants, 1, same)
  const passAlive = async () => {
    await stayAlive('b')
    return pass()
  }
  for (let passes = 0; passes < 3; passes++) await passAlive()
  expect([owned(a), told]).toEqual([['t1', 't2'], []])
  isIdle = true
  while (told.length === 0) await passAlive()
  expect(owned(a)).toEqual(['t1'])
})

it('gives back a tenant although its runs never pause, when no other one was idle for ten seconds', async () => {
  const { replica, time, pass, stayAlive } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.configure(tenants, 1, same)
  const told: (readonly string[])[] = []
  a.begin({ isIdle: () => false, follow: async () => void told.push(owned(a)) })
  await b.configure(tenants, 1, same)
  const passes = async (count: number) => {
    for (let at = 0; at < count || a.facts().heartbeatAt < 1_000_000 + time.ms; at++) {
      await stayAlive('b')
      await pass()
    }
  }
  // The surplus may have been seen later than at the start.
  for (; told.length === 0; time.ms += 1000) await passes(3)
  expect(time.ms).toBeGreaterThanOrEqual(10_000)
  expect(told).toEqual([['t1']])
})

it('has no store six seconds after its last heartbeat', async () => {
  const { replica, time } = world()
  const a = replica('a')
  await a.configure(tenants, 1, same)
  time.ms += 6000
  expect([owned(a), a.shared()]).toEqual([[], null])
})

it('leaves its tenants to the others when it ends', async () => {
  const { replica } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.configure(tenants, 1, same)
  await a[Symbol.asyncDispose]()
  await b.configure(tenants, 1, same)
  expect(owned(b)).toEqual(['t1', 't2'])
})

it('knows who owns a tenant and since when, and since when nobody does', async () => {
  const { replica, query } = world()
  const [a, b] = [replica('pod-a/1'), replica('pod-b/2')]
  const age = (ms: number | null | undefined) => (ms == null ? ms : Math.round(ms / 60_000))
  const owners = async (stores: ReplicaStores) =>
    [...(await stores.owners())].toSorted().map(([tenant, { replica, isAlive, heartbeatAgeMs, since }]) => {
      return [tenant, replica, isAlive, age(heartbeatAgeMs), age(since === null ? null : Date.now() - since)]
    })
  await a.configure(tenants, 1, same)
  query(`update tenant_owners set since = since - interval '7 minutes'`)
  expect(await owners(b)).toEqual([
    ['t1', 'pod-a/1', true, 0, 7],
    ['t2', 'pod-a/1', true, 0, 7],
  ])
  const times = new Set<number | null | undefined>()
  for (let count = 0; count < 20; count++) times.add((await b.owners())?.get('t1')?.since)
  expect(times.size).toBe(1)
  query(`update replicas set seen_at = seen_at - interval '3 minutes'`)
  query('update tenant_owners set owner = null where tenant_id = 2')
  expect(await owners(b)).toEqual([
    ['t1', 'pod-a/1', false, 3, 3],
    ['t2', null, false, null, 7],
  ])
  // A replica that is dead for long is kept while it is the last owner of a tenant that nobody takes.
  query(`update replicas set seen_at = seen_at - interval '2 hours'`)
  await b.configure(tenants.slice(1), 1, same)
  expect(await owners(b)).toEqual([
    ['t1', 'pod-a/1', false, 123, 123],
    ['t2', 'pod-b/2', true, 0, 0],
  ])
})

it('does not ask the server again for what only the owner of a tenant writes', async () => {
  const { replica, query } = world()
  const a = replica('a')
  await a.configure(tenants, 1, same)
  const store = a.of('t1')
  const waitsUntil = async () => (await store?.tenant(1))?.blockedUntil
  expect(await waitsUntil()).toBe(0)
  query('update tenants set blocked_until = 7')
  expect(await waitsUntil()).toBe(0)
  await store?.noteTenant(1, { blockedForMs: 1 })
  expect(await waitsUntil()).toBe(7)
  // Another replica reads this tenant without owning it.
  query('update tenants set blocked_until = 8')
  expect((await a.shared()?.tenant(1))?.blockedUntil).toBe(8)
})

it('takes up another configuration while its worker waits for that, and gives back what was removed afterwards', async () => {
  const { replica, pass } = world()
  const a = replica('a')
  await a.configure(tenants, 1, same)
  const configured = Promise.withResolvers<void>()
  const told: (readonly string[])[] = []
  a.begin({
    isIdle: () => true,
    async follow() {
      await configured.promise
      told.push(owned(a))
    },
  })
  await a.configure(tenants.slice(1), 2, same)
  configured.resolve()
  while (told.length === 0) await pass()
  expect(told).toEqual([['t2']])
})

it('gives back several tenants at once', async () => {
  const { replica, pass, stayAlive } = world()
  const many = Array.from({ length: 40 }, (_, n) => ({ name: `t${n + 1}`, baseUrl: 'https://x' }))
  const [a, b] = [replica('a'), replica('b')]
  await a.configure(many, 1, same)
  const told: number[] = []
  const own = (stores: ReplicaStores) => many.filter(({ name }) => stores.of(name) !== null).length
  a.begin({ isIdle: () => true, follow: async () => void told.push(own(a)) })
  while (own(a) < 40) await pass()
  while (own(b) < 20) {
    await b.configure(many, 1, same)
    await stayAlive('b')
    await pass()
  }
  expect(own(a)).toBe(20)
  expect(told.length).toBeLessThan(20)
})

it('keeps its stores when the worker cannot give a tenant back', async () => {
  const { replica, pass, stayAlive } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.configure(tenants, 1, same)
  const stores = tenants.map(({ name }) => a.of(name))
  let tries = 0
  a.begin({
    isIdle: () => true,
    async follow() {
      tries++
      throw new Error('cannot follow')
    },
  })
  await b.configure(tenants, 1, same)
  while (tries < 2) {
    await stayAlive('b')
    await pass()
  }
  while (owned(a).length < 2) await pass()
  expect(tenants.map(({ name }, n) => a.of(name) === stores[n])).toEqual([true, true])
})

it('keeps its tenants when another configuration cannot be taken up', async () => {
  const { replica, query } = world()
  const a = replica('a')
  await a.configure(tenants, 1, same)
  query('alter table tenant_owners rename to away')
  await expect(a.configure(tenants.slice(1), 2, same)).rejects.toMatchObject({ reason: 'store' })
  query('alter table away rename to tenant_owners')
  expect(owned(a)).toEqual(['t1', 't2'])
  const undo = await a.configure(tenants.slice(1), 3, same)
  expect(owned(a)).toEqual(['t2'])
  undo()
  expect(owned(a)).toEqual(['t1', 't2'])
})

it('counts the configurations of living replicas, and logs once that they differ for long and once that they agree', async () => {
  const { replica, time, logged, pass, query } = world()
  query(`insert into replicas (id, seen_at, alone, configuration) values ('alone', now() + interval '9 s', true, '')`)
  const [a, b] = [replica('a'), replica('b')]
  const other = async () => 'other'
  await a.configure(tenants, 1, same)
  expect(a.facts().configurations).toBe(1)
  await b.configure(tenants, 1, other)
  const settled = async (configurations: number) => {
    while (a.facts().configurations !== configurations) await pass()
  }
  a.begin({ isIdle: () => false, follow: async () => {} })
  await settled(2)
  time.ms += 14 * minuteMs
  await b.configure(tenants, 1, same)
  await settled(1)
  await b.configure(tenants, 1, other)
  await settled(2)
  expect(logged).toEqual([])
  time.ms += 15 * minuteMs
  while (logged.length === 0) await pass()
  for (let passes = 0; passes < 3; passes++) await pass()
  expect(logged).toEqual([
    { configurations: [['a'], ['b']], text: 'Living replicas have different configurations or versions' },
  ])
  await b.configure(tenants, 1, same)
  await settled(1)
  expect(logged.slice(1)).toEqual([{ text: 'All living replicas have the same configuration again' }])
})
