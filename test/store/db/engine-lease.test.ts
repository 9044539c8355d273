import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { FatalError } from '../../../src/model/errors.ts'
import { leaseForEngine } from '../../../src/store/db/engine-lease.ts'
import { PostgresDb } from '../../../src/store/db/postgres/postgres-db.ts'
import { testOptions, testPostgres } from '../../support/postgres.ts'

function world() {
  const postgres = testPostgres()
  onTestFinished(() => postgres.drop())
  const sleeping: { readonly ms: number; readonly wake: () => void }[] = []
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake) => {
        sleeping.push({ ms, wake })
        signal?.addEventListener('abort', () => wake())
      }),
  }
  return {
    query: postgres.query,
    async lease(id: string) {
      const db = new PostgresDb(postgres.connect(), testOptions)
      onTestFinished(() => db[Symbol.asyncDispose]())
      const lease = await leaseForEngine({ db, clock, id, assertTables: async () => {} })
      const fenced = db.fencedBy(...lease.fence)
      const insert = 'insert into tenants (name, base_url, created_at) values (?, ?, 1)'
      return { ...lease, write: (name: string) => fenced.write((sql) => sql(insert, [name, 'https://x'])) }
    },
    /** Wakes whatever sleeps so long, once it does. */
    async pass(ms: number): Promise<void> {
      let found = -1
      while (found < 0) {
        await nextTurn()
        found = sleeping.findIndex((one) => one.ms === ms)
      }
      sleeping.splice(found, 1)[0]?.wake()
    },
    die(id: string) {
      postgres.query(`update replicas set until = until - interval '11 seconds' where id = ?`, id)
      postgres.query(`update leases set until = until - interval '11 seconds' where owner = ?`, id)
    },
  }
}

it('admits one engine: another one waits, and is refused while the first one lives', async () => {
  const { lease, pass, query } = world()
  await using first = await lease('a')
  await first.write('written')
  const second = lease('b').then(
    () => null,
    (error: unknown) => error,
  )
  for (let tries = 1; tries < 13; tries++) await pass(1000)
  expect(await second).toBeInstanceOf(FatalError)
  expect(query('select id from replicas')).toEqual([{ id: 'a' }])
})

it('begins at once after an engine that ended, and within seconds after one that was killed', async () => {
  const { lease, pass, die } = world()
  await (await lease('a'))[Symbol.asyncDispose]()
  await using _killed = await lease('b')
  const third = lease('c')
  await pass(1000)
  die('b')
  await using next = await third
  await next.write('written')
})

it('writes nothing and says so once another engine has taken over', async () => {
  const { lease, pass, die, query } = world()
  await using stopped = await lease('a')
  expect(() => stopped.assertHeld()).not.toThrow()
  die('a')
  await using next = await lease('b')
  await expect(stopped.write('too late')).rejects.toMatchObject({ reason: 'aborted' })
  await next.write('in time')
  expect(query('select name from tenants')).toEqual([{ name: 'in time' }])
  await pass(2000)
  await expect.poll(() => catchOf(() => stopped.assertHeld())).toBeInstanceOf(FatalError)
})

function catchOf(act: () => void): unknown {
  try {
    act()
    return null
  } catch (error) {
    return error
  }
}
