import { expect, it, onTestFinished } from 'vitest'
import { type Log, silentLog } from '../../../src/model/log.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { replicaOver } from '../../../src/store/postgres/postgres-mirror.ts'
import { PresentServer } from '../../../src/store/postgres/present-server.ts'
import { Heartbeat } from '../../../src/store/postgres/replicas/heartbeat.ts'
import { noTenant, Replica } from '../../../src/store/postgres/replicas/replica.ts'
import type { Sessions } from '../../../src/store/postgres/session.ts'
import { settleCounts } from '../../../src/store/postgres/settle-counts.ts'
import { DriverError } from '../../../src/store/postgres/store-error.ts'
import { postgresWords } from '../../../src/store/postgres/words.ts'
import { testPostgres, testTiming } from '../../support/postgres.ts'
import { wrongCounts } from '../../support/wrong-counts.ts'

/** A replica that owns what belongs to no tenant, in a database with users of one. */
async function world() {
  const postgres = testPostgres()
  const inner = { work: postgres.connect(), heartbeats: postgres.connect() }
  const state = { full: false, ms: 0, start: '', distrusted: [] as string[] }
  const clock = { ...testTiming.clock, now: () => 1_000_000 + state.ms, monotonic: () => state.ms }
  /** Connections of one pool; `start` = when the server began to which those for the work lead. */
  const sessionsOf = (pool: 'work' | 'heartbeats'): Sessions => ({
    async take() {
      if (pool === 'work' && state.full) throw new DriverError({ code: '53300', message: 'sorry, too many clients' })
      const session = await inner[pool].take()
      const isElsewhere = pool === 'work' && state.start !== ''
      return {
        ...session,
        sendText: (text) => session.sendText(text),
        release: (broken) => session.release(broken),
        async send(statement, params) {
          const answer = await session.send(statement, params)
          return isElsewhere && statement.name.includes('limits') ? { rows: [`${state.start} origin`] } : answer
        },
      }
    },
    distrustAll: () => void state.distrusted.push(pool),
    async [Symbol.asyncDispose]() {},
  })
  const server = new PresentServer()
  const database = new PostgresDatabase(sessionsOf('work'), { ...testTiming, server })
  const heartbeats = new PostgresDatabase(sessionsOf('heartbeats'), testTiming)
  const errors: string[] = []
  const log = { ...silentLog(), error: (_: object, text: string) => void errors.push(text) } as unknown as Log
  const replica = new Replica(heartbeats, clock, 'r1')
  const heartbeat = new Heartbeat({ database, heartbeats, server, clock, log }, replica)
  onTestFinished(async () => {
    for (const sessions of Object.values(inner)) await sessions[Symbol.asyncDispose]()
    await postgres.drop()
  })
  const { query } = postgres
  query(`insert into tenants (id, name, base_url, created_at) values (1, 't1', 'https://x', 1)`)
  for (const id of [1, 2])
    query(
      `insert into users (rid, tenant_id, user_id, first_seen_at, read_at, state, mfa_status, mfa_action,
         created_at, created_at_ms) values (?, 1, ?, 0, 0, 'Active', 1, 0, '1970-01-01T00:00:00Z', 0)`,
      id,
      id,
    )
  await settleCounts(database, silentLog())
  await replica.register([noTenant])
  await heartbeat.beat('')
  await replica.balance([])
  return { state, clock, database, heartbeats, server, replica, heartbeat, errors, query, log }
}

const wrong = ({ query }: Awaited<ReturnType<typeof world>>) => wrongCounts(postgresWords, (sql) => query(sql))

it('owns nothing while triggers do not fire, and counts what changed meanwhile', async () => {
  const test = await world()
  const { query, replica, heartbeat, errors } = test
  expect(replica.epochs.has(noTenant)).toBe(true)
  query('alter table users disable trigger tenantwatch_changed')
  query('update users set mfa_status = 0 where user_id = 1')
  await expect(heartbeat.beat('')).rejects.toThrow('Triggers of the database are missing, switched off or replaced')
  expect(replica.epochs.size).toBe(0)
  await expect(heartbeat.beat('')).rejects.toThrow('Triggers of the database are missing, switched off or replaced')
  query('alter table users enable trigger tenantwatch_changed')
  const before = replica.losses
  await heartbeat.beat('')
  expect([wrong(test), replica.epochs.has(noTenant)]).toEqual([[], true])
  expect(replica.losses).toBeGreaterThan(before)
  expect(errors).toEqual([expect.stringContaining('they were counted again')])
  await heartbeat.beat('')
  expect(errors).toHaveLength(1)
})

it('owns nothing while the function of a trigger is another one', async () => {
  const { query, replica, heartbeat } = await world()
  const [{ source }] = query(
    `select prosrc as source from pg_proc where proname = 'tenantwatch_users_changed'
       and pronamespace = quote_ident(current_schema())::regnamespace`,
  ) as [{ source: string }]
  const put = (body: string) =>
    query(`create or replace function tenantwatch_users_changed() returns trigger language plpgsql as $f$${body}$f$`)
  put('begin return null; end')
  await expect(heartbeat.beat('')).rejects.toThrow('Triggers of the database are missing, switched off or replaced')
  expect(replica.epochs.size).toBe(0)
  put(source)
  await heartbeat.beat('')
  expect(replica.epochs.has(noTenant)).toBe(true)
})

it.each([
  ['for some rows', 'after update or delete', 'when (old.tenant_id = 2)'],
  ['for some columns', 'after update of email or delete', ''],
  ['for deletions', 'after delete', ''],
  ['before the change', 'before update or delete', ''],
])('owns nothing while a trigger of the same name fires only %s', async (_, events, condition) => {
  const { query, replica, heartbeat } = await world()
  query('drop trigger tenantwatch_changed on users')
  query(
    `create trigger tenantwatch_changed ${events} on users for each row ${condition}
     execute function tenantwatch_users_changed()`,
  )
  await expect(heartbeat.beat('')).rejects.toThrow('Triggers of the database are missing, switched off or replaced')
  expect(replica.epochs.size).toBe(0)
})

it('counts again after triggers were off for a moment between two heartbeats', async () => {
  const test = await world()
  const { query, replica, heartbeat, errors } = test
  query(
    `insert into check_states (tenant_id, "check", status, since, evaluated_at, valid_until, open)
     values (1, 'user-mfa-enrolled', 'pass', 3, 5, null, '{}'), (1, 'roles', 'fail', 3, 5, 9, '{}')`,
  )
  query('alter table users disable trigger tenantwatch_changed')
  query('update users set mfa_status = 0 where user_id = 1')
  query('alter table users enable trigger tenantwatch_changed')
  await expect(heartbeat.beat('')).rejects.toThrow('Triggers of the database were changed')
  expect(replica.epochs.size).toBe(0)
  await heartbeat.beat('')
  expect([wrong(test), replica.epochs.has(noTenant), errors.length]).toEqual([[], true, 1])
  // What was stored by the former counts shows nothing as passed any more.
  expect(query('select status, valid_until from check_states order by status')).toEqual([
    { status: 'fail', valid_until: 9 },
    { status: 'pass', valid_until: 5 },
  ])
  await heartbeat.beat('')
  expect(errors).toHaveLength(1)
})

it('counts again what somebody changed while no replica looked, and is verified only then', async () => {
  const test = await world()
  const { database, heartbeats, clock, log, query, errors } = test
  const parts = { clock: { ...clock, sleep: testTiming.clock.sleep }, database, heartbeats, log, random: () => 0.5 }
  const { mirror } = replicaOver(parts, async () => {})
  query('alter table users disable trigger tenantwatch_changed')
  query('update users set removed_at = 5 where user_id = 1')
  query('alter table users enable trigger tenantwatch_changed')
  expect(wrong(test)).not.toEqual([])
  expect(mirror.isVerified()).toBe(false)
  query(
    `insert into tenant_owners (tenant_id, owner, epoch, configured_at, since) values (1, 'another', 7, now(), now())`,
  )
  await mirror.verify()
  expect([wrong(test), mirror.isVerified(), errors.length]).toEqual([[], true, 1])
  // Its owner remembers results by the former counts.
  expect(query('select epoch from tenant_owners where tenant_id = 1')).toEqual([{ epoch: 8 }])
  await mirror.verify()
  expect(errors).toHaveLength(1)
})

it('raises sequences that are behind their tables, as after a restore of the tables alone', async () => {
  const test = await world()
  const { database, heartbeats, clock, query } = test
  const logged: unknown[] = []
  const log = { ...silentLog(), warn: (about: object) => void logged.push(about) } as unknown as Log
  const parts = { clock: { ...clock, sleep: testTiming.clock.sleep }, database, heartbeats, log, random: () => 0.5 }
  const { mirror } = replicaOver(parts, async () => {})
  query(
    `insert into changes (id, tenant_id, resource, key, at, kind) overriding system value values (40, 1, 'users', '1', 1, 'created')`,
  )
  query('update users set rid = 777 where user_id = 1')
  await mirror.verify()
  const next = () =>
    query(
      `insert into changes (tenant_id, resource, key, at, kind) values (1, 'users', '1', 1, 'created') returning id`,
    )
  expect(next()).toEqual([{ id: 41 }])
  expect(query(`select nextval('rid_blocks') as block`)).toEqual([{ block: 4 }])
  await mirror.verify()
  expect([next(), logged]).toEqual([[{ id: 42 }], [{ raised: 3 }]])
})

it('sends no heartbeat when it has had no connection for its work for 30 seconds, until it has one', async () => {
  const { state, heartbeat, replica } = await world()
  state.full = true
  state.ms = 30_000
  await heartbeat.beat('')
  await expect(heartbeat.probe()).rejects.toThrow('takes no more connections')
  state.ms = 30_001
  await expect(heartbeat.beat('')).rejects.toThrow('takes no more connections')
  state.ms = 40_000
  expect(replica.epochs.size).toBe(0)
  state.full = false
  await heartbeat.beat('')
  expect(replica.isConfirmed).toBe(true)
})

it('follows to a server that stores no heartbeat, as a standby, once it owns nothing any more', async () => {
  const { state, heartbeat, server, query } = await world()
  server.follow('7')
  query('alter table users disable trigger tenantwatch_changed')
  state.ms = 6000
  await expect(heartbeat.beat('')).rejects.toThrow('Triggers of the database')
  expect(state.distrusted).toEqual(['work'])
})

it('gets new connections for its heartbeats when a connection leads to another server, and all others when they follow', async () => {
  const { state, heartbeat, database, server } = await world()
  state.start = '7'
  // However long: the heartbeats must be able to follow.
  state.ms = 31_000
  await heartbeat.probe()
  expect(server.takeDoubt()).toBe(true)
  await expect(database.read(() => database.prepare('select 1').get())).rejects.toThrow('another database server')
  expect(state.distrusted).toEqual([])
  await heartbeat.beat('')
  await heartbeat.beat('')
  expect(state.distrusted).toEqual(['heartbeats'])
  server.follow('7')
  state.start = ''
  await heartbeat.beat('')
  expect(state.distrusted).toEqual(['heartbeats', 'work'])
  await heartbeat.probe()
})
