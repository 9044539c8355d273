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
import { PostgresDb } from '../../../../src/store/db/postgres/postgres-db.ts'
import * as schema from '../../../../src/store/schema/index.ts'
import { tables } from '../../../../tools/postgres-schema.ts'
import { isOnServer, type TestPostgres, testOptions, testPostgres } from '../../../support/postgres.ts'
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

function startingDb(postgres: TestPostgres): PostgresDb {
  const limits = { statementMs: 0, idleMs: 5000, silenceMs: 0 }
  return new PostgresDb(postgres.connect(), { ...testOptions, isolation: 'read committed', limits })
}

/** A database with the present layout, for which a further migration is due. */
async function migrated(sql: readonly string[], prepare: (query: TestPostgres['query']) => void = () => {}) {
  const postgres = testPostgres()
  const db = startingDb(postgres)
  onTestFinished(async () => {
    await db[Symbol.asyncDispose]()
    await postgres.drop()
  })
  const known = postgresMigrations()
  const scratch = { sql: [...sql], hash: 'scratch', folderMillis: (known.at(-1)?.folderMillis ?? 0) + 1 }
  prepare(postgres.query)
  const migrations = [...known, scratch]
  const migrate = () => db.write((sql) => bringUpToDate(sql, 'engine', migrations))
  return { ...postgres, db, migrate }
}

const viewNames = `select relname as name from pg_class
  where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'v' order by 1`

const addUser = `insert into records (tenant_id, resource, key, body, first_seen_at, read_at)
  values (1, 'users', '7', '{"userId":7,"state":"Active"}', 0, 0)`

it('brings an empty database up to date once, and refuses others', async () => {
  const migrated = async (postgres: TestPostgres, role: 'engine' | 'beside' = 'engine') => {
    await using db = startingDb(postgres)
    await db.write((sql) => bringUpToDate(sql, role))
  }
  const own = testPostgres('empty')
  await expect(migrated(own, 'beside')).rejects.toThrow('There is no mirror in the database of store.url yet')
  await migrated(own)
  await migrated(own)
  await migrated(own, 'beside')
  own.query(`insert into tenantwatch_migrations values ('x', 99999999999999)`)
  await expect(migrated(own)).rejects.toThrow('The database was written by a newer tenantwatch')
  await own.drop()
  const foreign = testPostgres('empty')
  foreign.query('create table customers (id bigint)')
  await expect(migrated(foreign)).rejects.toThrow('contains tables of another program')
  await foreign.drop()
})

it('changes the type and the name of columns that views use, and keeps grants', async () => {
  const changes = [
    'alter table records alter column body type varchar(9000)',
    'alter table tenants alter column name type varchar(80)',
    'alter table records rename column missing_since to missing_before',
    'alter table records add column missing_since bigint',
  ]
  let reader = ''
  let before: unknown
  const database = await migrated(changes, (query) => {
    reader = testRole({ query })
    query(`grant select on tenantwatch_users, tenantwatch_findings to ${reader}`)
    query(`insert into tenants (id, name, base_url, created_at) values (1, 'acme', 'https://api.example.com', 0)`)
    query(addUser)
    before = query(viewNames)
    for (const change of changes.slice(0, 2)) expect(() => query(change)).toThrow('used by a view')
  })
  const { query, migrate } = database
  await migrate()
  expect(query(viewNames)).toEqual(before)
  const may = (name: string) => query(`select has_table_privilege('${reader}', '${name}', 'select') as may`)[0]?.['may']
  expect(['tenantwatch_users', 'tenantwatch_findings', 'tenantwatch_history', 'records'].map(may)).toEqual([1, 1, 0, 0])
  expect(query('select state from tenantwatch_users')).toEqual([{ state: 'Active' }])
  // Nothing is due any more.
  await migrate()
  expect(query(viewNames)).toEqual(before)
})

it('leaves the views as they are when a migration fails', async () => {
  let before: unknown
  const database = await migrated(
    ['alter table records alter column body type varchar(9000)', 'select 1 / 0'],
    (query) => {
      before = query(viewNames)
    },
  )
  await expect(database.migrate()).rejects.toThrow()
  expect(database.query(viewNames)).toEqual(before)
})

it('fences replicas of the older version off before it changes the layout, and leaves them the owners', async () => {
  const database = await migrated(['alter table records add column spare bigint'], (query) => {
    query(`insert into leases (tenant_id, owner, epoch, until, since) values (1, 'old', 4, now(), now())`)
  })
  await database.migrate()
  expect(database.query('select owner, epoch from leases')).toEqual([{ owner: 'old', epoch: 5 }])
})

it('makes views again that another version made, and leaves its own as they are', async () => {
  const database = await migrated([], (query) => {
    query(`update tenantwatch_migrations set hash = 'another' where created_at = 0`)
    query('drop view tenantwatch_history')
    query('create view tenantwatch_former as select 1 as one')
  })
  const { query, migrate } = database
  await migrate()
  const names = query(viewNames).map(({ name }) => name)
  expect(names).toContain('tenantwatch_history')
  expect(names).not.toContain('tenantwatch_former')
  query('drop view tenantwatch_history')
  await migrate()
  expect(query(viewNames).map(({ name }) => name)).not.toContain('tenantwatch_history')
})

it.runIf(isOnServer)('migrates one process at a time, and asks for no lock where nothing is to migrate', async () => {
  const world = await migrated(['alter table records add column spare bigint'])
  const other = world.connect()
  const holder = await other.connect()
  onTestFinished(() => other.end())
  await holder.query({ text: 'begin; select pg_advisory_xact_lock(1953396596)' })
  await world.db.write((sql) => bringUpToDate(sql, 'engine'))
  const migrating = world.migrate()
  await expect.poll(() => world.query('select 1 from pg_locks where not granted')).not.toEqual([])
  await holder.query({ text: 'commit' })
  holder.release(false)
  await migrating
  expect(world.query('select count(spare)::int as n from records')).toEqual([{ n: 0 }])
})

it.runIf(isOnServer)(
  'gives up when others use the tables for long, and changes nothing',
  { timeout: 20_000 },
  async () => {
    const world = await migrated(['alter table records add column spare bigint'])
    const other = world.connect()
    const reader = await other.connect()
    onTestFinished(() => other.end())
    await reader.query({ text: 'begin; select count(*) from records' })
    await expect(world.migrate()).rejects.toThrow(
      /^The layout of the database could not be changed, because another session/,
    )
    await reader.query({ text: 'commit' })
    reader.release(false)
    await world.migrate()
    expect(world.query('select count(spare)::int as n from records')).toEqual([{ n: 0 }])
  },
)
