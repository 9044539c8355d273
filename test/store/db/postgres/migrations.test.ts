import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { expect, it, onTestFinished } from 'vitest'
import { bringUpToDate, postgresMigrations } from '../../../../src/store/db/postgres/migrate.ts'
import { assertServer } from '../../../../src/store/db/postgres/server-check.ts'
import { derivedMigration, isDerivedMigration } from '../../../../src/store/postgres/derived.ts'
import { tables } from '../../../../src/store/postgres/schema.ts'
import * as schema from '../../../../src/store/schema/index.ts'
import { isOnServer, testOptions } from '../../../support/postgres.ts'
import { migrated } from '../../postgres/support/migrated.ts'

import { testRole } from '../../postgres/support/test-role.ts'

const folder = join(import.meta.dirname, '../../../../drizzle')

/** The tables as of the last migration. */
function lastSnapshot(path: string) {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, path, 'meta', name), 'utf8'))
  const { idx } = read('_journal.json').entries.at(-1)
  return read(`${String(idx).padStart(4, '0')}_snapshot.json`)
}

it('has every change of the tables in the migrations of SQLite', async () => {
  const now = await generateSQLiteDrizzleJson(schema)
  expect(await generateSQLiteMigration(lastSnapshot('.'), now)).toEqual([])
})

it('has every change of the tables in the migrations of PostgreSQL', async () => {
  expect(await generateMigration(lastSnapshot('postgres'), generateDrizzleJson(tables))).toEqual([])
})

it('has the present triggers and views in the last migration that names them', () => {
  expect(postgresMigrations().findLast(isDerivedMigration)?.sql[0]?.trim()).toBe(derivedMigration())
})

it('applies the migrations of PostgreSQL in the order of their times', () => {
  const times = postgresMigrations().map(({ folderMillis }) => folderMillis)
  expect(times.length).toBeGreaterThan(1)
  expect(times).toEqual([...times].sort((a, b) => a - b))
})

const namesOfDerived = `select relname as name from pg_class c
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'v'
  union all select tgname || ' ' || tgrelid::regclass from pg_trigger t join pg_class c on c.oid = tgrelid
    where relnamespace = quote_ident(current_schema())::regnamespace and tgname like 'tenantwatch%'
  union all select proname from pg_proc where pronamespace = quote_ident(current_schema())::regnamespace order by 1`

const addUser = `insert into records (tenant_id, resource, key, body, first_seen_at, read_at)
  values (1, 'users', '7', '{"userId":7,"state":"Active"}', 0, 0)`

it('changes the type and the name of columns that views and triggers use, and keeps grants and counts', async () => {
  const changes = [
    'alter table records alter column body type varchar(9000)',
    'alter table tenants alter column name type varchar(80)',
    'alter table records rename column missing_since to missing_before',
    'alter table records add column missing_since bigint',
  ]
  let reader = ''
  let before: unknown
  using database = await migrated(changes, (query) => {
    reader = testRole({ query })
    query(`grant select on tenantwatch_users, tenantwatch_sync to ${reader}`)
    query(`insert into tenants (id, name, base_url, created_at) values (1, 'acme', 'https://api.example.com', 0)`)
    query(addUser)
    before = query(namesOfDerived)
    for (const change of changes.slice(0, 2)) expect(() => query(change)).toThrow('used by a view')
  })
  const { query, migrate } = database
  await migrate()
  expect(query(namesOfDerived)).toEqual(before)
  const may = (name: string) => query(`select has_table_privilege('${reader}', '${name}', 'select') as may`)[0]?.['may']
  expect(['tenantwatch_users', 'tenantwatch_sync', 'tenantwatch_history', 'records'].map(may)).toEqual([1, 1, 0, 0])
  expect(query('select state from tenantwatch_users')).toEqual([{ state: 'Active' }])
  // Nothing is due any more.
  await migrate()
  expect(query(namesOfDerived)).toEqual(before)
})

it('leaves views, triggers and grants as they are when a migration fails', async () => {
  let before: unknown
  using database = await migrated(
    ['alter table records alter column body type varchar(9000)', 'select 1 / 0'],
    (query) => {
      before = query(namesOfDerived)
    },
  )
  await expect(database.migrate()).rejects.toThrow()
  expect(database.query(namesOfDerived)).toEqual(before)
})

it('fences replicas of the older version off before it changes the layout, and leaves them the owners', async () => {
  using database = await migrated(['alter table records add column spare bigint'], (query) => {
    query(`insert into leases (tenant_id, owner, epoch, until, since) values (1, 'old', 4, now(), now())`)
  })
  await database.migrate()
  expect(database.query('select owner, epoch from leases')).toEqual([{ owner: 'old', epoch: 5 }])
})

it.runIf(isOnServer)('refuses a user whose triggers are switched off', async () => {
  using world = await migrated([], () => {})
  await world.connection.query({ text: 'set session_replication_role = replica' })
  await expect(assertServer(world.connection)).rejects.toThrow(/session_replication_role=replica of its user/)
  await world.connection.query({ text: 'reset session_replication_role' })
})

it('refuses to truncate any of its tables, with what erases a tenant', async () => {
  using world = await migrated([], () => {})
  const { query } = world
  query(addUser)
  for (const name of Object.keys(tables)) expect(() => query(`truncate "${name}"`)).toThrow('tenantwatch purge TENANT')
  expect(query('select count(*)::int as n from records')).toEqual([{ n: 1 }])
})

it.runIf(isOnServer)(
  'waits for the lock of a migration for a while, and for none where nothing is to migrate',
  async () => {
    using world = await migrated([], () => {})
    const other = world.connect()
    const holder = await other.connect()
    onTestFinished(() => other.end())
    await holder.query({ text: 'select pg_advisory_lock(1953396596)' })
    await expect(world.migrate({ waitMs: 50 })).rejects.toThrow(/^Another session has held the lock for changes/)
    await bringUpToDate(world.connection, 'engine', { ...testOptions, waitMs: 50 })
    await holder.query({ text: 'select pg_advisory_unlock(1953396596)' })
    holder.release(false)
    await world.migrate({ waitMs: 50 })
  },
)

it.runIf(isOnServer)('tries again while others use the tables', async () => {
  using world = await migrated(['alter table records add column spare bigint'], () => {})
  const other = world.connect()
  const reader = await other.connect()
  onTestFinished(() => other.end())
  await reader.query({ text: 'begin; select count(*) from records' })
  let waits = 0
  const sleep = async () => {
    if (++waits === 2) await reader.query({ text: 'commit' })
  }
  await world.migrate({ clock: { sleep } })
  reader.release(false)
  expect(waits).toBe(2)
  expect(world.query('select count(spare)::int as n from records')).toEqual([{ n: 0 }])
})

it.runIf(isOnServer)('is not limited by what the role has for its sessions', async () => {
  using world = await migrated(['select pg_sleep(0.1)', 'alter table records add column spare bigint'], () => {})
  await world.connection.query({ text: 'set statement_timeout = 50; set lock_timeout = 1' })
  await world.migrate()
  expect(world.query('select count(spare)::int as n from records')).toEqual([{ n: 0 }])
})
