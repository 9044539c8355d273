import { expect, it, onTestFinished, vi } from 'vitest'
import { secondMs } from '../../../src/model/durations.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { fenceOlderReplicas } from '../../../src/store/postgres/migrate.ts'
import { type Balance, noTenant, Replica } from '../../../src/store/postgres/replicas/replica.ts'
import type { Session } from '../../../src/store/postgres/session.ts'
import { DriverError } from '../../../src/store/postgres/store-error.ts'
import { testPostgres, testTiming } from '../../support/postgres.ts'

const isOnServer = process.env['TEST_POSTGRES_URL'] !== undefined
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
  /** The next transaction of any replica waits for it. */
  const delay: { next: Promise<void> | null } = { next: null }
  /** Loses the connection of the next COMMIT; resolves at the next transaction. The COMMIT arrives when it is called. */
  let lose: ((arrive: () => Promise<unknown>) => void) | null = null
  let onTake = () => {}
  const lostCommit = () =>
    new Promise<() => Promise<unknown>>((resolve) => {
      lose = (arrive) => {
        lose = null
        onTake = () => resolve(arrive)
      }
    })
  function losing(session: Session): Session {
    let isLost = false
    const gone = () => Promise.reject(new DriverError({ code: 'ECONNRESET', message: 'lost' }))
    return {
      send(statement, params) {
        if (statement.text !== 'commit' || lose === null) return session.send(statement, params)
        isLost = true
        lose(() => session.send(statement, params).finally(() => session.release(false)))
        return gone()
      },
      sendText: (text) => (isLost ? gone() : session.sendText(text)),
      release: (broken) => (isLost ? undefined : session.release(broken)),
    }
  }
  function replica(id: string, alone: boolean): Replica {
    const sessions = postgres.connect()
    onTestFinished(() => sessions[Symbol.asyncDispose]())
    const delayed = {
      ...sessions,
      async take() {
        const { next } = delay
        delay.next = null
        await next
        const session = await sessions.take()
        onTake()
        return losing(session)
      },
    }
    return new Replica(new PostgresDatabase(delayed, testTiming), clock, id, alone)
  }
  return {
    ids,
    clock,
    delay,
    lostCommit,
    query: postgres.query,
    replica: (id: string) => replica(id, false),
    alone: (id: string) => replica(id, true),
    /** As when its heartbeats stop. */
    die(id: string): void {
      postgres.query(`update replicas set seen_at = seen_at - interval '11 seconds' where id = ?`, id)
    },
    /** As if all had begun some time ago. */
    age: () => void postgres.query(`update replicas set began_at = began_at - interval '11 seconds'`),
    names: () => postgres.query('select name from tenants order by id').map(({ name }) => name),
  }
}

const owned = ({ epochs }: Replica) => [...epochs.keys()].filter((tenant) => tenant !== noTenant)

/** A turn of a replica that is told nothing of runs. */
async function turn(replica: Replica, tenants: readonly number[]): Promise<Balance> {
  await replica.register([noTenant, ...tenants])
  await replica.beat()
  return replica.balance(tenants)
}

function rename(replica: Replica, tenantId: number, name: string): Promise<void> {
  const database = replica.fenced(tenantId)
  const update = database.prepare<[string, number]>('update tenants set name = ? where id = ?')
  return database.write('nothing', () => update.run(name, tenantId === noTenant ? 1 : tenantId))
}

it('shares the tenants evenly: a replica with more than its share gives tenants back', async () => {
  const { ids, replica, age } = world(5)
  const [a, b] = [replica('a'), replica('b')]
  expect(await turn(a, ids)).toMatchObject({ takenOver: 0, unowned: 0, unregistered: 0, surplus: 0 })
  expect(owned(a)).toEqual(ids)
  expect(await turn(b, ids)).toMatchObject({ takenOver: 0, unowned: 0, unregistered: 0, surplus: 0 })
  expect(owned(b)).toEqual([])
  // One that has just begun may end at once.
  expect(await turn(a, ids)).toMatchObject({ surplus: 0 })
  age()
  expect(await turn(a, ids)).toMatchObject({ surplus: 2 })
  await a.release(new Set([1, 4]))
  expect(await turn(b, ids)).toMatchObject({ unowned: 0 })
  expect([owned(a), owned(b)]).toEqual([
    [2, 3, 5],
    [1, 4],
  ])
  expect(await turn(a, ids)).toMatchObject({ surplus: 0 })
})

it('takes a part of its share in each of its first turns, so that others that begin then need not wait', async () => {
  const { ids, replica, age } = world(200)
  const [a, b, c] = [replica('a'), replica('b'), replica('c')]
  await turn(a, ids)
  expect(owned(a)).toHaveLength(50)
  await turn(b, ids)
  expect(owned(b)).toHaveLength(25)
  for (let turns = 0; turns < 3; turns++) for (const one of [a, b]) await turn(one, ids)
  expect([a, b].map((one) => owned(one).length)).toEqual([100, 100])
  await turn(c, ids)
  age()
  expect(await turn(a, ids)).toMatchObject({ takenOver: 0, unowned: 0, unregistered: 0, surplus: 17 })
})

it('takes its share of the tenants of a dead replica in its first turn', async () => {
  const { ids, replica, die } = world(100)
  const [a, b] = [replica('a'), replica('b')]
  for (let turns = 0; turns < 4; turns++) await turn(a, ids)
  expect(owned(a)).toEqual(ids)
  die('a')
  expect(await turn(b, ids)).toMatchObject({ takenOver: 100, unowned: 0, unregistered: 0, surplus: 0 })
})

it('takes the whole share of a dead replica while another one sends no heartbeats, but is not dead yet', async () => {
  const { ids, replica, die, query, age } = world(4)
  const [a, b, c] = [replica('a'), replica('b'), replica('c')]
  await turn(a, ids)
  await turn(b, ids)
  await a.release(new Set([1, 2]))
  await turn(b, ids)
  expect([owned(a), owned(b)]).toEqual([
    [3, 4],
    [1, 2],
  ])
  await c.register([noTenant, ...ids])
  await c.beat()
  age()
  query(`update replicas set seen_at = seen_at - interval '4 seconds' where id = 'c'`)
  die('a')
  await turn(b, ids)
  expect(owned(b)).toEqual(ids)
  expect(await turn(b, ids)).toMatchObject({ surplus: 0 })
  await c.beat()
  expect(await turn(b, ids)).toMatchObject({ surplus: 2 })
})

it('gives nothing back for replicas that begin and end again and again, and takes what they took', async () => {
  const { ids, replica, die, age } = world(4)
  const a = replica('a')
  await turn(a, ids)
  age()
  for (const id of ['b', 'c', 'd']) {
    const short = replica(id)
    await turn(short, ids)
    expect(await turn(a, ids)).toMatchObject({ surplus: 0 })
    await a.release(new Set([1]))
    await turn(short, ids)
    expect(owned(short)).toEqual([1])
    die(id)
    await turn(replica(`after ${id}`), [])
    expect(await turn(a, ids)).toMatchObject({ takenOver: 1, unowned: 0 })
    expect(owned(a).toSorted()).toEqual(ids)
  }
})

it('shares tenants with the replicas of the same configuration alone', async () => {
  const { ids, replica, age } = world(8)
  const [a, b] = [replica('a'), replica('b')]
  for (let turns = 0; turns < 2; turns++) {
    for (const [one, own] of [[a, ids.slice(0, 4)] as const, [b, ids.slice(4)] as const])
      expect(await turn(one, own)).toMatchObject({ takenOver: 0, unowned: 0, unregistered: 0, surplus: 0 })
    age()
  }
  expect([owned(a), owned(b)]).toEqual([ids.slice(0, 4), ids.slice(4)])
})

it('takes what nobody has had for ten seconds, also beyond a share that includes new replicas', async () => {
  const { ids, replica, query, age } = world(4)
  const [a, b] = [replica('a'), replica('b')]
  await turn(a, ids)
  age()
  await b.register([noTenant, ...ids])
  await b.beat()
  await a.release(new Set([1, 2]))
  expect(await turn(a, ids)).toMatchObject({ unowned: 2 })
  query(`update tenant_owners set since = since - interval '11 seconds'`)
  expect(await turn(a, ids)).toMatchObject({ unowned: 0 })
})

it.runIf(isOnServer)('takes nothing of a replica whose heartbeat comes meanwhile', async () => {
  const { ids, replica, die } = world(2)
  const [a, b] = [replica('a'), replica('b')]
  await turn(a, ids)
  await b.register([noTenant, ...ids])
  for (let tries = 0; tries < 30; tries++) {
    const [owner, other] = owned(a).length > 0 ? [a, b] : [b, a]
    await other.beat()
    die(owner === a ? 'a' : 'b')
    await Promise.all([owner.beat(), other.balance(ids)])
    expect([...owned(a), ...owned(b)].toSorted()).toEqual(ids)
  }
})

it('counts itself for a share although its own heartbeat is late', async () => {
  const { ids, replica, query, age } = world(4)
  const [a, b] = [replica('a'), replica('b')]
  await turn(a, ids)
  await turn(b, ids)
  age()
  await b.beat()
  query(`update replicas set seen_at = seen_at - interval '4 seconds' where id = 'a'`)
  expect(await a.balance(ids)).toMatchObject({ surplus: 2 })
})

it('takes the tenants of a dead replica, which then writes nothing', async () => {
  const { ids, replica, die, names } = world(2)
  const [a, b] = [replica('a'), replica('b')]
  await turn(a, ids)
  await rename(a, 1, 'written by a')
  die('a')
  await turn(b, ids)
  expect(owned(b)).toEqual(ids)
  // It was stopped, and does not know yet.
  await expect(rename(a, 1, 'written too late')).rejects.toMatchObject({ reason: 'aborted' })
  await rename(b, 2, 'written by b')
  expect(names()).toEqual(['written by a', 'written by b'])
  await a.beat()
  expect(owned(a)).toEqual([])
})

it('writes nothing by what it was given before it gave a tenant back and took it again', async () => {
  const { ids, replica, names } = world(1)
  const a = replica('a')
  await turn(a, ids)
  const former = a.fenced(1)
  await a.release(new Set([1]))
  await turn(a, ids)
  const update = former.prepare<[string]>('update tenants set name = ?')
  await expect(former.write('nothing', () => update.run('of before'))).rejects.toMatchObject({ reason: 'aborted' })
  await rename(a, 1, 'of now')
  expect(names()).toEqual(['of now'])
})

it('does not own what it gave back, although a heartbeat read it before', async () => {
  const { ids, replica, delay } = world(2)
  const a = replica('a')
  await turn(a, ids)
  const held = Promise.withResolvers<void>()
  delay.next = held.promise
  const releasing = a.release(new Set([1]))
  await a.beat()
  held.resolve()
  await releasing
  expect(owned(a)).toEqual([2])
})

it('leaves a tenant to its owner as long as that lives', async () => {
  const { ids, replica } = world(1)
  const [a, b] = [replica('a'), replica('b')]
  for (const one of [a, b]) await turn(one, ids)
  expect([owned(a), owned(b)]).toEqual([[1], []])
})

it('owns nothing six seconds after its last heartbeat, and all of it after the next one', async () => {
  const { ids, replica, clock } = world(1)
  const a = replica('a')
  await turn(a, ids)
  clock.ms += 6 * secondMs - 1
  expect(owned(a)).toEqual([1])
  clock.ms += 1
  expect(owned(a)).toEqual([])
  expect(() => a.fenced(1)).toThrow(RangeError)
  await a.beat()
  expect(owned(a)).toEqual([1])
})

it('leaves its tenants to the others at once, and is gone', async () => {
  const { ids, replica, query } = world(3)
  const [a, b] = [replica('a'), replica('b')]
  await turn(a, ids)
  await b.beat()
  await a.leave()
  await b.balance(ids)
  expect([owned(a), owned(b)]).toEqual([[], ids])
  expect(query('select id from replicas')).toEqual([{ id: 'b' }])
})

it('takes only tenants that it knows', async () => {
  const { replica } = world(3)
  const a = replica('a')
  await turn(a, [2])
  expect(owned(a)).toEqual([2])
})

it('one replica does the work of no tenant, and another one when that died', async () => {
  const { ids, replica, die } = world(1)
  const [a, b] = [replica('a'), replica('b')]
  for (const one of [a, b]) await turn(one, ids)
  expect([a, b].map(({ epochs }) => epochs.has(noTenant))).toEqual([true, false])
  die('a')
  await turn(b, ids)
  expect(b.epochs.has(noTenant)).toBe(true)
})

it('a process that works alone waits for the end of every replica, and replicas for its own', async () => {
  const { ids, replica, alone, die, names } = world(1)
  const [a, sync] = [replica('a'), alone('sync')]
  await turn(a, ids)
  await sync.beat()
  expect(await sync.takeAll()).toBe(false)
  die('a')
  expect(await sync.takeAll()).toBe(true)
  await rename(sync, noTenant, 'written alone')
  await expect(rename(a, 1, 'written too late')).rejects.toMatchObject({ reason: 'aborted' })
  await turn(a, ids)
  expect([owned(a), a.epochs.has(noTenant)]).toEqual([[], false])
  await sync.leave()
  await turn(a, ids)
  expect(owned(a)).toEqual(ids)
  expect(names()).toEqual(['written alone'])
})

it('names tenants that no replica has had in its configuration for a day', async () => {
  const { ids, replica, query } = world(2)
  const a = replica('a')
  await turn(a, ids)
  query(`update tenant_owners set configured_at = configured_at - interval '25 hours' where tenant_id = 2`)
  expect(await a.abandoned()).toEqual(['t2'])
  await turn(a, ids)
  expect(await a.abandoned()).toEqual([])
})

it.runIf(isOnServer)('waits with a takeover for the transaction of the last owner', async () => {
  const { ids, replica, die, names } = world(1)
  const [a, b] = [replica('a'), replica('b')]
  await turn(a, ids)
  const database = a.fenced(1)
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
  await turn(b, ids)
  expect(owned(b)).toEqual([])
  await writing
  await b.balance(ids)
  expect(owned(b)).toEqual([1])
  expect(names()).toEqual(['in time'])
})

it('once the layout is newer, a replica of an older version writes and takes nothing, and is the owner until it counts as dead', async () => {
  const { ids, die, replica, query } = world(2)
  const old = replica('old')
  await turn(old, ids)
  query(`insert into tenantwatch_migrations (hash, created_at) values ('newer', 9999999999999)`)
  query(`update tenant_owners set owner = null where tenant_id = ${ids[1]}`)
  for (const statement of fenceOlderReplicas.split('; ')) query(statement)
  await expect(old.beat()).rejects.toThrow('newer tenantwatch')
  await old.balance(ids)
  expect(query('select owner from tenant_owners where tenant_id > 0 order by tenant_id')).toEqual([
    { owner: 'old' },
    { owner: null },
  ])
  await expect(rename(old, 1, 'again')).rejects.toThrow('Another replica owns the tenant')
  query(`delete from tenantwatch_migrations where hash = 'newer'`)
  const updated = replica('updated')
  await turn(updated, ids)
  expect(owned(updated)).toEqual([2])
  die('old')
  await turn(updated, ids)
  expect(owned(updated)).toEqual([2, 1])
})

it('recognizes a restore by its last heartbeat, and gives no epoch twice', async () => {
  const { ids, query, replica } = world(2)
  const a = replica('a')
  await turn(a, ids)
  expect(a.losses).toBe(0)
  query('update tenant_owners set epoch = 5')
  await a.beat()
  expect([a.losses, a.epochs.get(1)]).toEqual([0, 5])
  query('update tenant_owners set epoch = 4')
  query(`update replicas set seen_at = seen_at - interval '1 millisecond'`)
  // Before the heartbeat, too: that of the restored row may be another tenant.
  query('update tenant_owners set owner = null where tenant_id = 2')
  await a.balance(ids)
  expect(query('select owner from tenant_owners where tenant_id = 2')).toEqual([{ owner: null }])
  query(`update tenant_owners set owner = 'a' where tenant_id = 2`)
  await a.beat()
  expect([a.losses, a.epochs.get(1), a.epochs.get(2)]).toEqual([1, 6, 6])
  query('delete from replicas')
  await a.beat()
  expect([a.losses, a.epochs.get(1)]).toEqual([2, 7])
})

it.runIf(isOnServer)('takes a connection with other settings of time for one to the same server', async () => {
  const { ids, query, replica } = world(1)
  const a = replica('a')
  await turn(a, ids)
  const [{ name } = {}] = query('select quote_ident(current_database()) as name')
  query(`alter database ${name} set timezone = 'Asia/Kolkata'`)
  query(`alter database ${name} set datestyle = 'German'`)
  query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await vi.waitFor(() => a.beat())
  expect([a.losses, owned(a)]).toEqual([0, ids])
})

it('counts a replica whose last heartbeat is of the future as dead: the clock of the database was set back', async () => {
  const { ids, query, replica } = world(2)
  const [a, b] = [replica('a'), replica('b')]
  await turn(a, ids)
  query(`update replicas set seen_at = seen_at + interval '1 minute' where id = 'a'`)
  expect(await turn(b, ids)).toMatchObject({ takenOver: 2 })
  expect(owned(b)).toEqual(ids)
})

it.runIf(isOnServer)('reads and writes nothing of a tenant while a lost commit of it may still come', async () => {
  const { ids, lostCommit, replica, names } = world(1)
  const a = replica('a')
  await turn(a, ids)
  const database = a.fenced(1)
  const update = database.prepare<[string]>('update tenants set name = ?')
  const name = database.prepareValues<[], string>('select name from tenants')
  const version = () => database.versions.ofRecords(1, 'roles')
  const before = version()
  const settling = lostCommit()
  const ended: string[] = []
  const writing = database
    .write({ tenantId: 1, resource: 'roles' }, () => update.run('late'))
    .catch(({ message }: Error) => void ended.push(message))
  const arrive = await settling
  const reading = database.read(() => name.get()).then((read) => void ended.push(`read ${read}`))
  await a.beat()
  expect([ended, names(), version()]).toEqual([[], ['t1'], before])
  // The answer to the commit of the wait itself is lost, too: by then it is over.
  const waited = lostCommit()
  await arrive()
  await (await waited)()
  await Promise.all([reading, writing])
  expect(ended.toSorted()).toEqual([expect.stringContaining('ECONNRESET'), 'read late'])
  expect(version()).toBe(before + 2)
  await rename(a, 1, 'then')
  expect(names()).toEqual(['then'])
})

it('names living replicas by their configurations, without those that died or stated none', async () => {
  const { ids, replica, alone, die } = world(1)
  for (const [id, configuration] of Object.entries({ 'a/1': 'x', 'b/2': 'y', 'c/3': 'x', 'd/4': 'z', 'e/5': '' }))
    await replica(id).beat(configuration)
  await alone('f/6').beat()
  die('d/4')
  const { configurations } = await replica('a/1').balance(ids)
  expect(configurations).toEqual([['a/1', 'c/3'], ['b/2']])
})
