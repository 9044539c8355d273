import { expect, it, onTestFinished } from 'vitest'
import { PostgresDatabase } from '../../../src/mirror/postgres/database.ts'
import { Replica } from '../../../src/mirror/postgres/replica.ts'
import { secondMs } from '../../../src/model/durations.ts'
import { testPostgres, testTiming } from '../../support/postgres.ts'

const isOnServer = process.env['TEST_POSTGRES_URL'] !== undefined
const always = () => true

function world(tenants: number) {
  const postgres = testPostgres()
  onTestFinished(() => postgres.drop())
  const ids = Array.from({ length: tenants }, (_, n) => n + 1)
  for (const id of ids)
    postgres.query(
      'insert into tenants (id, name, base_url, created_at) values (?, ?, ?, 1)',
      id,
      `t${id}`,
      'https://x',
    )
  const clock = { ms: 0, monotonic: () => clock.ms }
  return {
    ids,
    clock,
    query: postgres.query,
    replica(id: string): Replica {
      const sessions = postgres.connect()
      onTestFinished(() => sessions[Symbol.asyncDispose]())
      return new Replica(new PostgresDatabase(sessions, testTiming), clock, id)
    },
    /** As when its heartbeats stop. */
    die(id: string): void {
      postgres.query(`update replicas set seen_at = seen_at - interval '11 seconds' where id = ?`, id)
    },
    names: () => postgres.query('select name from tenants order by id').map(({ name }) => name),
  }
}

const owned = ({ epochs }: Replica) => [...epochs.keys()]

function rename(replica: Replica, tenantId: number, name: string): Promise<void> {
  const database = replica.databaseOf(tenantId)
  const update = database.prepare<[string, number]>('update tenants set name = ? where id = ?')
  return database.write('nothing', () => update.run(name, tenantId))
}

it('shares the tenants evenly, and gives back one at a time where others are below their share', async () => {
  const { ids, replica } = world(5)
  const [a, b] = [replica('a'), replica('b')]
  const turn = async () => {
    for (const one of [a, b]) {
      await one.beat()
      await one.balance(ids, always)
    }
    return [owned(a).length, owned(b).length]
  }
  await a.beat()
  await a.balance(ids, always)
  expect(owned(a)).toEqual(ids)
  expect(await turn()).toEqual([5, 0])
  expect(await turn()).toEqual([4, 1])
  expect(await turn()).toEqual([3, 2])
  expect(await turn()).toEqual([3, 2])
})

it('gives back no tenant that a run is under way for', async () => {
  const { ids, replica } = world(2)
  const [a, b] = [replica('a'), replica('b')]
  await a.beat()
  await a.balance(ids, always)
  await b.beat()
  await a.balance(ids, (tenant) => tenant === 2)
  expect(owned(a)).toEqual([1])
})

it('takes the tenants of a dead replica, which then writes nothing', async () => {
  const { ids, replica, die, names } = world(2)
  const [a, b] = [replica('a'), replica('b')]
  await a.beat()
  await a.balance(ids, always)
  await rename(a, 1, 'written by a')
  die('a')
  await b.beat()
  await b.balance(ids, always)
  expect(owned(b)).toEqual(ids)
  // It was stopped, and does not know yet.
  await expect(rename(a, 1, 'written too late')).rejects.toMatchObject({ reason: 'aborted' })
  await rename(b, 2, 'written by b')
  expect(names()).toEqual(['written by a', 'written by b'])
  await a.beat()
  expect(owned(a)).toEqual([])
})

it('leaves a tenant to its owner as long as that lives', async () => {
  const { ids, replica } = world(1)
  const [a, b] = [replica('a'), replica('b')]
  for (const one of [a, b]) {
    await one.beat()
    await one.balance(ids, always)
  }
  expect([owned(a), owned(b)]).toEqual([[1], []])
})

it('owns nothing six seconds after its last heartbeat, and all of it after the next one', async () => {
  const { ids, replica, clock } = world(1)
  const a = replica('a')
  await a.beat()
  await a.balance(ids, always)
  clock.ms += 6 * secondMs - 1
  expect(owned(a)).toEqual([1])
  clock.ms += 1
  expect(owned(a)).toEqual([])
  expect(() => a.databaseOf(1)).toThrow(RangeError)
  await a.beat()
  expect(owned(a)).toEqual([1])
})

it('leaves its tenants to the others at once, and is gone', async () => {
  const { ids, replica, query } = world(3)
  const [a, b] = [replica('a'), replica('b')]
  await a.beat()
  await a.balance(ids, always)
  await b.beat()
  await a.leave()
  await b.balance(ids, always)
  expect([owned(a), owned(b)]).toEqual([[], ids])
  expect(query('select id from replicas')).toEqual([{ id: 'b' }])
})

it('takes only tenants that it knows', async () => {
  const { replica } = world(3)
  const a = replica('a')
  await a.beat()
  await a.balance([2], always)
  expect(owned(a)).toEqual([2])
})

it.runIf(isOnServer)('waits with a takeover for the transaction of the last owner', async () => {
  const { ids, replica, die, names } = world(1)
  const [a, b] = [replica('a'), replica('b')]
  await a.beat()
  await a.balance(ids, always)
  const database = a.databaseOf(1)
  const begun = Promise.withResolvers<void>()
  const slow = database.prepare<[], unknown>('select pg_sleep(1)')
  const look = database.prepare<[], unknown>('select 1')
  const update = database.prepare<[]>(`update tenants set name = 'in time'`)
  const writing = database.write('nothing', function* () {
    yield* look.get()
    begun.resolve()
    yield* slow.get()
    yield* update.run()
  })
  await begun.promise
  die('a')
  await b.beat()
  await b.balance(ids, always)
  expect(owned(b)).toEqual([])
  await writing
  await b.balance(ids, always)
  expect(owned(b)).toEqual([1])
  expect(names()).toEqual(['in time'])
})
