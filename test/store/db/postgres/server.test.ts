import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../../src/model/process/system-clock.ts'
import { openPostgres } from '../../../../src/store/db/postgres/open.ts'
import { problemOf, readServerFacts } from '../../../../src/store/db/postgres/server.ts'
import { isOnServer, testOptions, testPostgres } from '../../../support/postgres.ts'

const io = { clock: systemClock(), random: () => 0.5 }

/** What a start says of an empty database, and what the doctor reads of it. */
async function saidOf(prepare: (query: ReturnType<typeof testPostgres>['query'], database: string) => string) {
  const postgres = testPostgres('empty')
  onTestFinished(() => postgres.drop())
  const { query } = postgres
  const [{ name } = {}] = query('select current_database() as name')
  const database = prepare(query, String(name))
  const url = (postgres.url ?? '').replace(/[^/]*$/, database)
  const opened = openPostgres({ ...testOptions, url: async () => url, role: 'engine' })
  await using _ = await opened.catch(() => null)
  const started = await opened.then(() => '').catch(({ message }: Error) => message)
  return { started, problem: (await readServerFacts(url, io)).problem }
}

it
  .runIf(isOnServer)
  .each([
    [
      'default_transaction_read_only = on',
      'default_transaction_read_only=on makes its transactions read-only',
      'Reset it for the user, the database or the server, whichever sets it',
    ],
    ['synchronous_commit = off', 'it has synchronous_commit=off and could lose what it confirmed', 'Switch it on'],
    ...['pg_catalog', 'nothere'].map((path) => [
      `search_path = ${path}`,
      `the search_path of its user (${path}) leads to no schema that the user may use for tables`,
      'Create that schema, or correct the path with "alter role … set search_path"',
    ]),
  ])('start and doctor refuse a database with %s alike', async (setting, sentence, advice) => {
  const { started, problem } = await saidOf((query, database) => {
    query(`alter database ${database} set ${setting}`)
    return database
  })
  const lower = `${advice.charAt(0).toLowerCase()}${advice.slice(1)}`
  expect(started).toBe(`The database of store.url cannot be used: ${sentence}; ${lower}`)
  expect(problem).toEqual({ sentence, advice })
})

it.runIf(isOnServer)('start and doctor refuse a database of another encoding alike', async () => {
  const { started, problem } = await saidOf((query, database) => {
    const other = `${database}_latin1`
    query(`create database ${other} template template0 encoding LATIN1 locale 'C'`)
    onTestFinished(() => void query(`drop database ${other} with (force)`))
    return other
  })
  expect(started).toBe('The database of store.url cannot be used: its encoding is LATIN1; create it with encoding UTF8')
  expect(problem).toEqual({ sentence: 'its encoding is LATIN1', advice: 'Create it with encoding UTF8' })
})

it.runIf(isOnServer)('finds nothing in the way of a sound one', async () => {
  const { started, problem } = await saidOf((_, database) => database)
  expect([started, problem]).toEqual(['', null])
})

const sound = {
  ...{ version: 17, encoding: 'UTF8', fsync: 'on', commits: 'on', readonly: 'off', standby: 0 },
  ...{ searchPath: 'public', schema: 'public' },
}

it.each([
  [{ standby: 1, readonly: 'on' }, 'the server is a standby and read-only', 'Set store.url to the primary server'],
  [{ version: 14 }, 'PostgreSQL 14 is too old', 'Use version 15 or later'],
  [{ fsync: 'off' }, 'the server runs with fsync=off and could lose what it confirmed', 'Switch it on'],
  [{ schema: null }, expect.stringMatching(/^the search_path of its user/), expect.any(String)],
])('of a server that differs by %j, it names the first problem', (over, sentence, advice) => {
  expect(problemOf({ ...sound, ...over })).toEqual({ sentence, advice })
})

function database(layout: 'empty' | 'current') {
  const postgres = testPostgres(layout)
  onTestFinished(() => postgres.drop())
  return { query: postgres.query, facts: () => readServerFacts(postgres.url ?? '', io) }
}

it.runIf(isOnServer)('reads the server, its limits and the layout of the mirror', async () => {
  const { query, facts } = database('current')
  const [{ version = '' } = {}] = query(`select current_setting('server_version') as version`)
  const found = await facts()
  expect(found).toMatchObject({
    version: String(version).split(' ')[0],
    tls: null,
    host: '127.0.0.1',
    user: 'tenantwatch',
    isSuperuser: 1,
    mayCreate: 1,
    mayWrite: 1,
    layout: 'current',
    owners: new Map(),
  })
  expect(Math.abs(found.skewMs)).toBeLessThan(2000)
  query('update tenantwatch_migrations set created_at = created_at + 1')
  expect((await facts()).layout).toBe('newer')
  query('update tenantwatch_migrations set created_at = 1')
  expect(await facts()).toMatchObject({ layout: 'older', owners: null })
  expect(await database('empty').facts()).toMatchObject({ layout: 'none', owners: null })
})

it.runIf(isOnServer)('reads the owners of tenants', async () => {
  const { query, facts } = database('current')
  query(`insert into tenants (id, name, base_url, created_at) values (1, 'acme', 'x', 0), (2, 'globex', 'x', 0)`)
  query(`insert into replicas (id, until, alone, tenants) values ('pod-a/1', clock_timestamp() + interval '9 seconds', false, ''),
    ('pod-b/2', clock_timestamp() - interval '30 seconds', false, '')`)
  query(`insert into leases (tenant_id, owner, epoch, since, until)
    select t, r.id, 1, now(), r.until from (values (0, 'pod-a/1'), (1, 'pod-a/1'), (2, 'pod-b/2')) v (t, owner)
    join replicas r on r.id = owner`)
  const { owners } = await facts()
  expect([...(owners ?? [])].map(([name, { isAlive }]) => [name, isAlive]).toSorted()).toEqual([
    ['acme', true],
    ['globex', false],
  ])
})

it.runIf(isOnServer)('tells roles that may create tables, write them or only read them apart', async () => {
  const postgres = testPostgres('current')
  const { query } = postgres
  const role = `writer_${process.pid}`
  query(`create role ${role} login`)
  query(`grant all on all tables in schema public to ${role}`)
  onTestFinished(async () => {
    query(`drop owned by ${role}`)
    query(`drop role ${role}`)
    await postgres.drop()
  })
  const found = () => readServerFacts((postgres.url ?? '').replace(/\/\/[^@]*@/, `//${role}@`), io)
  expect(await found()).toMatchObject({ user: role, isSuperuser: 0, mayCreate: 0, mayWrite: 1 })
  query(`revoke update on tenants from ${role}`)
  expect(await found()).toMatchObject({ mayWrite: 0, layout: 'current' })
})
