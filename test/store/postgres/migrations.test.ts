import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { expect, it, onTestFinished } from 'vitest'
import { derivedMigration, isDerivedMigration } from '../../../src/store/postgres/derived.ts'
import { bringUpToDate, postgresMigrations } from '../../../src/store/postgres/migrate.ts'
import { tables } from '../../../src/store/postgres/schema.ts'
import { insistOnServer } from '../../../src/store/postgres/server-check.ts'
import * as schema from '../../../src/store/schema/index.ts'
import { mirrored } from '../../../src/store/schema/mirrored.ts'
import { testTiming } from '../../support/postgres.ts'
import { migrated } from './support/migrated.ts'
import { isOnServer } from './support/moving-world.ts'
import { testRole } from './support/test-role.ts'

const folder = join(import.meta.dirname, '../../../drizzle')

/** The tables as of the last migration. */
function lastSnapshot(path: string) {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, path, 'meta', name), 'utf8'))
  const { idx } = read('_journal.json').entries.at(-1)
  return read(`${String(idx).padStart(4, '0')}_snapshot.json`)
}

it('has every change of the tables in the migrations of SQLite', async () => {
  const now = await generateSQLiteDrizzleJson({ ...schema, ...mirrored })
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

const addUser = `insert into users (rid, tenant_id, user_id, first_seen_at, read_at, state, mfa_status, mfa_action,
  created_at, created_at_ms) values (7, 1, 7, 0, 0, 'Active', 0, 0, '1970-01-01T00:00:00Z', 0)`

it('changes the type and the name of columns that views and triggers use, and keeps grants and counts', async () => {
  const changes = [
    'alter table users alter column state type varchar(40)',
    'alter table tenants alter column name type varchar(80)',
    'alter table users rename column mfa_action to mfa_action_before',
    'alter table users add column mfa_action bigint not null default 0',
  ]
  let reader = ''
  let before: unknown
  using database = await migrated(changes, (query) => {
    reader = testRole({ query })
    query(`grant select on tenantwatch_users, tenantwatch_sync to ${reader}`)
    query(`insert into tenants (id, name, base_url, created_at) values (1, 'acme', 'https://api.example.com', 0)`)
    query(addUser)
    before = query(namesOfDerived)
    expect(() => query(changes[0] ?? '')).toThrow('used in a trigger definition')
    expect(() => query(changes[1] ?? '')).toThrow('used by a view')
  })
  const { query, migrate } = database
  await migrate()
  expect(query(namesOfDerived)).toEqual(before)
  const may = (name: string) => query(`select has_table_privilege('${reader}', '${name}', 'select') as may`)[0]?.['may']
  expect(['tenantwatch_users', 'tenantwatch_sync', 'tenantwatch_history', 'users'].map(may)).toEqual([1, 1, 0, 0])
  const type = `select data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = 'tenantwatch_users' and column_name = 'state'`
  expect(query(type)).toEqual([{ type: 'character varying' }])
  query(`update users set state = 'Invited'`)
  expect(query('select count(*)::int as n from record_revisions')).toEqual([{ n: 1 }])
  // Nothing is due any more.
  await migrate()
  expect(query(namesOfDerived)).toEqual(before)
})

it('leaves views, triggers and grants as they are when a migration fails', async () => {
  let before: unknown
  using database = await migrated(
    ['alter table users alter column state type varchar(40)', 'select 1 / 0'],
    (query) => {
      before = query(namesOfDerived)
    },
  )
  await expect(database.migrate()).rejects.toThrow()
  expect(database.query(namesOfDerived)).toEqual(before)
})

it('fences replicas of the older version off before it changes the layout, and leaves them the owners', async () => {
  using database = await migrated(['alter table users add column spare bigint'], (query) => {
    query(
      `insert into tenant_owners (tenant_id, owner, epoch, since, configured_at) values (1, 'old', 4, now(), now())`,
    )
    query(`insert into replicas (id, seen_at, alone) values ('old', now(), false)`)
  })
  await database.migrate()
  expect(database.query('select owner, epoch from tenant_owners')).toEqual([{ owner: 'old', epoch: 5 }])
  expect(database.query('select id, seen_at < began_at as earlier from replicas')).toEqual([{ id: 'old', earlier: 1 }])
})

it.runIf(isOnServer)(
  'refuses functions and operators of other roles in the schema, which statements could call',
  async () => {
    using world = await migrated([], () => {})
    const { query, session } = world
    await insistOnServer(session)
    const role = testRole(world)
    const [{ schema } = {}] = query('select quote_ident(current_schema()) as schema')
    query(`create function unnest(bigint[]) returns setof bigint language sql as 'select 1::bigint'`)
    await insistOnServer(session)
    query(`grant create on schema ${schema} to ${role}`)
    query(`alter function unnest(bigint[]) owner to ${role}`)
    await expect(insistOnServer(session)).rejects.toThrow(
      `its schema has functions or operators of ${role}, which would run with the rights of tenantwatch; drop them`,
    )
    query('drop function unnest(bigint[])')
    await insistOnServer(session)
  },
)

it.runIf(isOnServer)('refuses a user whose triggers are switched off', async () => {
  using world = await migrated([], () => {})
  await world.session.sendText('set session_replication_role = replica')
  await expect(insistOnServer(world.session)).rejects.toThrow(/session_replication_role=replica of its user/)
  await world.session.sendText('reset session_replication_role')
})

it('refuses to truncate any of its tables, with what erases a tenant', async () => {
  using world = await migrated([], () => {})
  const { query, session } = world
  query(addUser)
  for (const name of Object.keys(tables))
    await expect(session.sendText(`truncate "${name}"`)).rejects.toThrow(
      `Table "${name}" of tenantwatch cannot be truncated; erase a tenant with "tenantwatch purge TENANT"`,
    )
  expect(query('select count(*)::int as n from users')).toEqual([{ n: 1 }])
})

it.runIf(isOnServer)(
  'waits for the lock of a migration for a while, and for none where nothing is to migrate',
  async () => {
    using world = await migrated([], () => {})
    const other = world.connect()
    const holder = await other.take()
    onTestFinished(() => other[Symbol.asyncDispose]())
    await holder.sendText('select pg_advisory_lock(1953396596)')
    const wait = () => bringUpToDate(world.session, 'engine', { ...testTiming, lockedMs: 50 })
    await expect(world.migrate({ lockedMs: 50 })).rejects.toThrow(
      /^Another session has held the lock for changes of the layout for .*: process \d+ of the server, user tenantwatch; start/,
    )
    await wait()
    await holder.sendText('select pg_advisory_unlock(1953396596)')
    holder.release(false)
    await world.migrate({ lockedMs: 50 })
  },
)
