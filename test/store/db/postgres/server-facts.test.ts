import { expect, it, onTestFinished } from 'vitest'
import { readServerFacts } from '../../../../src/store/db/postgres/server.ts'
import { synced } from '../../../commands/support/cli.ts'
import { isOnServer, testPostgres } from '../../../support/postgres.ts'

const clock = { now: () => Date.now(), monotonic: () => performance.now() }

function database(layout: 'empty' | 'current') {
  const postgres = testPostgres(layout)
  onTestFinished(() => postgres.drop())
  return { query: postgres.query, facts: () => readServerFacts(postgres.url ?? '', clock) }
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
    creators: '',
    notOwned: 0,
    isPooled: false,
    layout: 'current',
    mirror: { replicas: [], runs: null },
  })
  expect(found.connections).toBeLessThan(100)
  expect(found.used).toBeGreaterThan(0)
  expect(Math.abs(found.skewMs)).toBeLessThan(2000)
  query('update tenantwatch_migrations set created_at = created_at + 1')
  expect((await facts()).layout).toBe('newer')
  query('update tenantwatch_migrations set created_at = 1')
  expect(await facts()).toMatchObject({ layout: 'older', mirror: null })
  expect(await database('empty').facts()).toMatchObject({ layout: 'none', mirror: null })
})

it.runIf(isOnServer)('reads replicas, owners and runs', async () => {
  const { query, facts } = database('current')
  query(`insert into tenants (id, name, base_url, created_at) values (1, 'acme', 'x', 0), (2, 'globex', 'x', 0)`)
  query(`insert into replicas (id, until, alone, tenants) values ('pod-a/1', clock_timestamp() + interval '9 seconds', false, ''),
    ('pod-b/2', clock_timestamp() - interval '30 seconds', false, '')`)
  query(`insert into leases (tenant_id, owner, epoch, since, until)
    select t, r.id, 1, now(), r.until from (values (0, 'pod-a/1'), (1, 'pod-a/1'), (2, 'pod-b/2')) v (t, owner)
    join replicas r on r.id = owner`)
  const { mirror } = await facts()
  expect(mirror?.replicas).toEqual([
    { id: 'pod-a/1', alone: 0, alive: 1, heartbeatAgeMs: expect.any(Number), tenants: 1 },
    { id: 'pod-b/2', alone: 0, alive: 0, heartbeatAgeMs: expect.any(Number), tenants: 1 },
  ])
  expect([...(mirror?.owners ?? [])].map(([name, { isAlive }]) => [name, isAlive]).toSorted()).toEqual([
    ['acme', true],
    ['globex', false],
  ])
})

it.runIf(isOnServer)('tells a role that may write the tables from their owner, and knows its limit', async () => {
  const postgres = testPostgres('current')
  const { query } = postgres
  const role = `writer_${process.pid}`
  query(`create role ${role} login connection limit 3`)
  query(`grant all on all tables in schema public to ${role}`)
  onTestFinished(async () => {
    query(`drop owned by ${role}`)
    query(`drop role ${role}`)
    await postgres.drop()
  })
  const found = await readServerFacts((postgres.url ?? '').replace(/\/\/[^@]*@/, `//${role}@`), clock)
  expect(found).toMatchObject({ user: role, isSuperuser: 0, mayCreate: 0, connections: 3 })
  expect(found.notOwned).toBeGreaterThan(20)
  query(`grant create on schema public to ${role}`)
  expect((await readServerFacts(postgres.url ?? '', clock)).creators).toBe(role)
})

it.runIf(isOnServer)(
  'doctor tells of the server before there is a mirror, of one that was synced, and of a newer one',
  async () => {
    const world = await synced({ simulator: { sizes: { users: 20 } } })
    const postgres = testPostgres('empty')
    onTestFinished(() => postgres.drop())
    const env = { ...world.env, TENANTWATCH_STORE_PATH: '', TENANTWATCH_STORE_URL: postgres.url ?? '' }
    const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms / 50).unref())
    const run = (...args: readonly string[]) => world.runWith({ env, clock: { ...clock, sleep } }, ...args)
    const before = await run('doctor')
    expect(before.stdout).toMatch(/^✓ +layout +none yet; the first "run" or "sync" makes it$/m)
    expect(before.stdout).not.toMatch(/^✗ +database/m)
    await run('sync')
    const after = await run('doctor')
    expect(after.stdout).toMatch(/^✓ +server +PostgreSQL \d+\.\d+, database "test_/m)
    expect(after.stdout).toMatch(/^✓ +TLS +not used on this machine$/m)
    expect(after.stdout).toMatch(/^! +rights +tenantwatch is a superuser/m)
    expect(after.stdout).toMatch(/^✓ +connections +\d+ of \d+ in use/m)
    expect(after.stdout).toMatch(/^! +replicas +none is alive\. /m)
    expect(after.stdout).toMatch(/^✓ +database +the database of store\.url can be read/m)
    expect(after.stdout).toMatch(/^✓ +runs +\d+ since /m)
    postgres.query('update tenantwatch_migrations set created_at = created_at + 1')
    const newer = await run('doctor')
    expect(newer.code).toBe(3)
    expect(newer.stdout).toMatch(/^✗ +database +The database was written by a newer tenantwatch/m)
    expect(newer.stdout).toMatch(/^✓ +server /m)
  },
)
