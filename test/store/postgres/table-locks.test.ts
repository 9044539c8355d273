import { expect, it, onTestFinished } from 'vitest'
import { type Log, silentLog } from '../../../src/model/log.ts'
import type { Session } from '../../../src/store/postgres/session.ts'
import { DriverError } from '../../../src/store/postgres/store-error.ts'
import { migrated } from './support/migrated.ts'
import { isOnServer } from './support/moving-world.ts'
import { testRole } from './support/test-role.ts'

const spare = ['alter table users add column spare bigint']

const owned = `insert into tenant_owners (tenant_id, owner, epoch, since, configured_at) values (1, 'old', 4, now(), now())`

const grafana = { pid: 4711, role: 'grafana', application: 'psql', since: '2026-03-01T12:00:00Z' }

/** Fails each text that begins so with the code; a code is used once. */
function interfering(session: Session, codes: readonly (readonly [text: string, code: string])[], blockers: unknown[]) {
  const left = [...codes]
  const texts: string[] = []
  const over: Session = {
    ...{ send: session.send.bind(session), release: session.release.bind(session) },
    async sendText(text) {
      texts.push(/^\w+( (table|tenant_owners))?/.exec(text)?.[0] ?? '')
      if (text.startsWith('select l.pid')) return { rows: blockers }
      const [next] = left
      if (next === undefined || !text.startsWith(next[0])) return session.sendText(text)
      left.shift()
      throw new DriverError({ code: next[1], message: 'm' })
    },
  }
  return { over, texts, left }
}

function logged() {
  const lines: unknown[] = []
  const log: Log = { ...silentLog(), warn: (fields, message) => void lines.push({ ...fields, message }) }
  return { log, lines }
}

it('changes nothing of the older version while others use the tables, and tries again', async () => {
  using world = await migrated(spare, (query) => void query(owned))
  const { query, session, migrate } = world
  const codes = [
    ['lock table', '55P03'],
    ['lock table', '57014'],
    ['lock table', '40P01'],
    ['update tenant_owners', '55P03'],
    ['do $$', '40P01'],
  ] as const
  const { over, texts, left } = interfering(session, codes, [grafana])
  const { log, lines } = logged()
  const slept: unknown[] = []
  const clock = {
    async sleep(ms: number) {
      slept.push([ms, query('select epoch, pg_current_xact_id_if_assigned() as open from tenant_owners')[0]])
    },
  }
  await migrate({ log, clock, random: () => slept.length / 4 }, over)
  expect(left).toEqual([])
  expect(slept).toEqual([3000, 3500, 4000, 4500, 5000].map((ms) => [ms, { epoch: 4, open: null }]))
  expect(query('select owner, epoch from tenant_owners')).toEqual([{ owner: 'old', epoch: 5 }])
  expect(texts.lastIndexOf('lock table')).toBeLessThan(texts.lastIndexOf('update tenant_owners'))
  expect(texts.filter((text) => text === 'rollback')).toHaveLength(5)
  expect(lines).toEqual([
    {
      blockedBy:
        'process 4711 of the server (role grafana, application psql, in a transaction since 2026-03-01T12:00:00Z)',
      hint: 'End that transaction, or its session with pg_terminate_backend',
      message: 'The upgrade of the layout waits for tables that others use; trying again',
    },
  ])
})

it('locks the tables of heartbeats last, and none of another role', async () => {
  using world = await migrated(spare, (query) => {
    const role = testRole({ query })
    query('create view pg_stat_statements as select 1 as calls')
    query(`alter view pg_stat_statements owner to ${role}`)
  })
  const locked: string[] = []
  const { session } = world
  const sendText = (text: string) => {
    if (text.startsWith('lock table')) locked.push(...text.replace(/^lock table | in access.*$/g, '').split(', '))
    return session.sendText(text)
  }
  await world.migrate({}, { ...interfering(session, [], []).over, sendText })
  expect(locked.slice(-3).sort()).toEqual(['replicas', 'tenant_owners', 'tenantwatch_migrations'])
  expect(locked).toEqual(expect.arrayContaining(['users', 'changes', 'tenantwatch_users']))
  expect(locked).not.toContain('pg_stat_statements')
})

it.each([
  [
    [grafana, { pid: 7, role: 'dump', application: null, since: null }],
    'process 4711 of the server (role grafana, application psql, in a transaction since 2026-03-01T12:00:00Z), process 7 of the server (role dump)',
  ],
  [[{ pid: null, role: null, application: null, since: null }], 'a prepared transaction (see pg_prepared_xacts)'],
  [[], 'transactions of other sessions, which ended meanwhile'],
])('gives up after five minutes, and names who uses the tables and what to do', async (blockers, who) => {
  using world = await migrated(spare, (query) => void query(owned))
  const { query, session, migrate } = world
  const codes = Array.from({ length: 99 }, () => ['lock table', '55P03'] as const)
  const { over, left } = interfering(session, codes, blockers)
  const error = await migrate({}, over).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    name: 'FatalError',
    message: `The layout of the database could not be changed within 5 min, because its tables are in use: ${who}; nothing was changed; end that transaction, or its session with pg_terminate_backend, and start again`,
  })
  expect(99 - left.length).toBe(56)
  expect(query('select epoch from tenant_owners')).toEqual([{ epoch: 4 }])
})

it('is not limited by what the role has for its sessions, from the wait for its lock on', async () => {
  const limits = `current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`
  using world = await migrated([`create table noted as select ${limits}`], () => {})
  const { query, session, migrate } = world
  await session.sendText('set statement_timeout = 1000; set idle_in_transaction_session_timeout = 1')
  onTestFinished(() => {
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout']) query(`reset ${name}`)
  })
  const waiting: unknown[] = []
  const { over } = interfering(session, [], [])
  await migrate(
    {},
    {
      ...over,
      async sendText(text) {
        if (text.includes('pg_advisory')) waiting.push(...(await session.sendText(`select ${limits}`)).rows)
        return over.sendText(text)
      },
    },
  )
  const own = { statement: '0', idle: '5s' }
  expect([...waiting, ...query('select * from noted')]).toEqual([own, own])
})

it.runIf(isOnServer)('names a reader whose transaction is open, and blocks nobody between two tries', async () => {
  using world = await migrated(spare, (query) => void query(owned))
  const others = world.connect()
  onTestFinished(() => others[Symbol.asyncDispose]())
  const reader = await others.take()
  await reader.sendText(`set application_name = 'psql'; begin read only; select count(*) from tenantwatch_users`)
  const { log, lines } = logged()
  const clock = { sleep: async () => void world.query(`update tenant_owners set epoch = epoch + 1`) }
  await expect(world.migrate({ log, clock, blockedMs: 3000 })).rejects.toThrow(
    /in use: process \d+ of the server \(role tenantwatch, application psql, in a transaction since \d{4}-[^)]*Z\); nothing was changed; end that/,
  )
  expect(lines).toHaveLength(1)
  expect(world.query('select owner, epoch from tenant_owners')).toEqual([{ owner: 'old', epoch: 5 }])
  await reader.sendText('rollback')
  reader.release(false)
  await world.migrate()
  expect(world.query('select owner, epoch from tenant_owners')).toEqual([{ owner: 'old', epoch: 6 }])
})
