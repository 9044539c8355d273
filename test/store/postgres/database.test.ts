import { count, eq, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { RecordInserts } from '../../../src/store/database.ts'
import { orm } from '../../../src/store/orm.ts'
import type { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { bringUpToDate } from '../../../src/store/db/postgres/migrate.ts'
import { syncStates, tenants } from '../../../src/store/schema/index.ts'
import type { Step } from '../../../src/store/steps.ts'
import { postgresDatabase, type TestPostgres, testPostgres, testTiming } from '../../support/postgres.ts'

const columns = ['"role_id"', '"name"', '"state"', '"permissions"']
const role = (id: number, name: string) => [id, name, 'Active', '[]']

function insert(database: PostgresDatabase, tenantId: number, rows: readonly ReturnType<typeof role>[]) {
  const inserts: RecordInserts = database.recordInserts('roles', columns)
  return database.write('nothing', () => inserts.insert(rows, { tenantId, at: 5, requestId: 'r' }, null))
}

function get<Row>(database: PostgresDatabase, text: string, ...bind: readonly unknown[]): Promise<Row[]> {
  return database.read(() => database.prepare<readonly unknown[], Row>(text).all(...bind))
}

function change(database: PostgresDatabase, text: string, ...bind: readonly unknown[]): Promise<void> {
  return database.write('nothing', () => database.prepare(text).run(...bind) as Step<void>)
}

it('reads numbers, conditions, texts, bytes and nulls as SQLite has them', async () => {
  const database = postgresDatabase()
  const text = `select cast(@n as bigint) as "aNumber", sum(x) as total, count(*) as rows, 1 = 1 as yes,
    cast(@text as text) as "aText", cast(@bytes as bytea) as bytes, null as nothing
    from (values (1::bigint), (2)) v (x)`
  const bytes = Buffer.from([0, 1, 255])
  const [row] = await get(database, text, { n: 2 ** 52, text: 'ä\0\u001a1\u001a0', bytes })
  expect(row).toEqual({
    aNumber: 2 ** 52,
    total: 3,
    rows: 2,
    yes: 1,
    aText: 'ä\0\u001a1\u001a0',
    bytes,
    nothing: null,
  })
})

it('stores whole milliseconds', async () => {
  const database = postgresDatabase()
  await change(database, 'insert into tenants (name, base_url, created_at) values (?, ?, ?)', 'a', 'https://x', 1.6)
  expect(await get(database, 'select created_at from tenants')).toEqual([{ created_at: 2 }])
})

it('gives rows as objects, as arrays or as the values of their only column', async () => {
  const database = postgresDatabase()
  const text = 'select x as n from (values (1::bigint), (2)) v (x) order by x'
  expect(await database.read(() => database.prepare(text).all())).toEqual([{ n: 1 }, { n: 2 }])
  expect(await database.read(() => database.prepareRows(text).all())).toEqual([[1], [2]])
  expect(await database.read(() => database.prepareValues(text).all())).toEqual([1, 2])
  expect(await database.read(() => database.prepareValues(text).get())).toBe(1)
  expect(await database.read(() => database.prepareValues('select 1 where 1 = 2').get())).toBeUndefined()
})

it('stores new records with ids that follow each other, in the order of the rows', async () => {
  const database = postgresDatabase()
  const rids = await insert(database, 1, [role(2, 'b'), role(1, 'a')])
  const first = rids[0] ?? 0
  expect(rids).toEqual([first, first + 1])
  expect(await get(database, 'select rid, role_id, name, request_id from roles order by rid')).toEqual([
    { rid: first, role_id: 2, name: 'b', request_id: 'r' },
    { rid: first + 1, role_id: 1, name: 'a', request_id: 'r' },
  ])
})

it('gives no two tenants ids of one block, and none twice', async () => {
  const database = postgresDatabase()
  const blocks = new Map<number, number>()
  const given = new Set<number>()
  for (const size of [1, 300, 255, 2]) {
    for (const tenantId of [1, 2]) {
      const from = given.size
      const rids = await insert(
        database,
        tenantId,
        Array.from({ length: size }, (_, i) => role(from + i, 'x')),
      )
      for (const rid of rids) {
        expect(blocks.get(rid >> 8) ?? tenantId).toBe(tenantId)
        blocks.set(rid >> 8, tenantId)
        given.add(rid)
      }
    }
  }
  expect(given.size).toBe(2 * 558)
  expect(blocks.size).toBe(6)
})

it('reserves as many ids as the last page had new records, and asks for those that are missing', async () => {
  const database = postgresDatabase()
  const inserts = database.recordInserts('roles', columns)
  const page = (from: number, records: number, size: number) =>
    database.write('nothing', function* () {
      const reserved = yield* inserts.reserve(1, size)
      const rows = Array.from({ length: records }, (_, i) => role(from + i, 'x'))
      const rids = yield* inserts.insert(rows, { tenantId: 1, at: 5, requestId: null }, reserved)
      return { rids, reserved: reserved !== null }
    })
  const pages = [
    await page(0, 3, 5),
    await page(3, 5, 5),
    await page(8, 1, 5),
    await page(9, 0, 5),
    await page(9, 1, 5),
  ]
  expect(pages.map(({ reserved }) => reserved)).toEqual([false, true, true, true, false])
  const first = pages[0]?.rids[0] ?? 0
  // Of five reserved after the second page one was used, and the one reserved after the third was not.
  const used = [0, 1, 2, 3, 4, 5, 6, 7, 8, 14].map((offset) => first + offset)
  expect(pages.flatMap(({ rids }) => rids)).toEqual(used)
  expect(await get(database, 'select rid from roles order by role_id')).toEqual(used.map((rid) => ({ rid })))
})

it('analyzes a table when a tenant has gained a thousand records', async () => {
  const database = postgresDatabase()
  const inserts = database.recordInserts('roles', columns)
  for (const page of [0, 1]) {
    const rows = Array.from({ length: 500 }, (_, i) => role(500 * page + i, 'x'))
    await database.write('nothing', () => inserts.insert(rows, { tenantId: 1, at: 5, requestId: null }, null))
  }
  const analyzed = `select distinct tablename from pg_stats where schemaname = current_schema() and attname = 'role_id'`
  expect(await get(database, analyzed)).toEqual([{ tablename: 'roles' }])
})

it('finds members of a list, whatever their type and characters', async () => {
  const database = postgresDatabase()
  const { isIn, listOf } = database.sql
  const names = ['a"b', 'c\\d', '{e,f}', 'NULL', 'g\0h', '', ' ']
  await insert(
    database,
    1,
    names.map((name, i) => role(i, name)),
  )
  const byName = `select name from roles where ${isIn('name')} order by role_id`
  expect(await get(database, byName, listOf([...names, null]))).toEqual(names.map((name) => ({ name })))
  expect(await get(database, byName, listOf([]))).toEqual([])
  const byId = `select role_id as id from roles where not ${isIn('role_id')} order by role_id`
  expect(await get(database, byId, listOf([0, 1, 2, 3]))).toEqual([{ id: 4 }, { id: 5 }, { id: 6 }])
})

it('writes and reads members of JSON texts', async () => {
  const database = postgresDatabase()
  const { jsonArray, jsonMember, jsonWith } = database.sql
  const array = jsonArray(['cast(@a as text)', 'cast(@b as bigint)', 'null'])
  const member = (at: number) => jsonMember(`(${array})`, at, at === 1 ? 'integer' : 'text')
  const text = `select ${array} as value, ${member(0)} as a, ${member(1)} as b, ${member(2)} as c`
  const [row] = await get<{ value: string }>(database, text, { a: 'x"\0y', b: 7 })
  expect(row).toMatchObject({ a: 'x"\0y', b: 7, c: null })
  const withMember = `select ${jsonWith('t.json', 'tenant', 'another')} as json from (select cast(? as text) as json) t`
  for (const json of ['{}', '{"a":1}', '{"tenant":"b","c":"\\u0000"}']) {
    const [changed] = await get<{ json: string }>(database, withMember, json)
    expect(JSON.parse(changed?.json ?? '')).toEqual({ ...JSON.parse(json), tenant: 'another' })
  }
  expect(await get(database, `select ${jsonMember(`'{"a b":1}'`, 'a b', 'integer')} as value`)).toEqual([{ value: 1 }])
})

it('runs drizzle’s builders with placeholders', async () => {
  const database = postgresDatabase()
  const tenantId = sql.placeholder('tenantId')
  await change(database, `insert into tenants (name, base_url, created_at) values ('acme', 'https://a', 3)`)
  const one = database.select(
    orm
      .select()
      .from(tenants)
      .where(eq(tenants.name, sql.placeholder('name'))),
  )
  expect(await database.read(() => one.get({ name: 'acme' }))).toMatchObject({
    id: 1,
    baseUrl: 'https://a',
    createdAt: 3,
  })
  const states = database.select(
    orm.select({ count: count() }).from(syncStates).where(eq(syncStates.tenantId, tenantId)),
  )
  expect(await database.read(() => states.all({ tenantId: 1 }))).toEqual([{ count: 0 }])
})

it('counts live records and revisions by triggers, whichever statement changes them', async () => {
  const database = postgresDatabase()
  const counts = () =>
    get<{ value: string; count: number }>(
      database,
      `select grouping, value, count from record_counts where resource = 'roles' and tenant_id = 1 order by grouping, value`,
    )
  const revisions = () => get(database, 'select resource, block, revision from record_revisions')
  const [first = 0] = await insert(database, 1, [role(1, 'a'), role(2, 'b')])
  await change(
    database,
    `insert into record_counts (tenant_id, resource, grouping, value, count) values (1, 'roles', 'state', '["Active"]', 2)`,
  )
  const block = first >> 8
  await change(database, 'update roles set read_at = 9')
  expect(await revisions()).toEqual([])
  await change(database, 'update roles set removed_at = 9 where rid = ?', first)
  expect(await counts()).toEqual([{ grouping: 'state', value: '["Active"]', count: 1 }])
  await change(database, 'update roles set missing_since = 9')
  expect(await counts()).toEqual([
    { grouping: 'missing', value: '[]', count: 1 },
    { grouping: 'state', value: '["Active"]', count: 1 },
  ])
  await change(database, 'update roles set removed_at = null where rid = ?', first)
  expect(await counts()).toEqual([
    { grouping: 'missing', value: '[]', count: 2 },
    { grouping: 'state', value: '["Active"]', count: 2 },
  ])
  await change(database, 'delete from roles')
  expect(await counts()).toEqual([])
  expect(await revisions()).toEqual([{ resource: 'roles', block, revision: 6 }])
})

it('records the terms of waivers, and each lapse once', async () => {
  const database = postgresDatabase()
  await change(
    database,
    `insert into waivers (tenant_id, id, "check", entity, entity_key, terms, since, expires_at)
     values (1, 'w', 'c', '*', '*', 't', 3, 9)`,
  )
  await change(
    database,
    `insert into waived_findings (fingerprint, waiver, tenant_id, "check", terms, facts, severity, accepted_at)
     values ('f', 'w', 1, 'c', 't', '{}', 'high', 3)`,
  )
  for (const at of [5, 6]) {
    await change(
      database,
      `update waived_findings set lapsed_at = coalesce(lapsed_at, ?), lapsed_facts = '{"a":1}'`,
      at,
    )
  }
  const rows = await get(database, 'select at, terms, fingerprint, changed from waiver_changes order by id')
  expect(rows).toEqual([
    { at: 3, terms: 't', fingerprint: null, changed: null },
    { at: 5, terms: 't', fingerprint: 'f', changed: '{"a":1}' },
  ])
})

it('orders texts by their bytes, and nulls as the statement says', async () => {
  const database = postgresDatabase()
  await insert(database, 1, [role(1, 'b'), role(2, 'B'), role(3, 'ä'), role(4, 'a')])
  const rows = await get<{ name: string }>(database, 'select name from roles order by name')
  expect(rows.map(({ name }) => name)).toEqual(['B', 'a', 'b', 'ä'])
})

it('stores nothing of a transaction that fails, and says so with a reason', async () => {
  const database = postgresDatabase()
  const put = database.prepare<[string, string | null]>(
    'insert into tenants (name, base_url, created_at) values (?, ?, 1)',
  )
  const before = database.versions.ofRecords(1, 'roles')
  const failing = database.write({ tenantId: 1, resource: 'roles' }, function* () {
    yield* put.run('secret name', 'https://a')
    yield* put.run('other', null)
  })
  const error = await failing.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'SyncError', reason: 'store' })
  expect(String((error as Error).message)).toBe('The database server refused a statement (23502)')
  expect(await get(database, 'select * from tenants')).toEqual([])
  expect(database.versions.ofRecords(1, 'roles')).toBe(before + 1)
})

it('brings an empty database up to date once, and refuses others', async () => {
  const migrated = async (postgres: TestPostgres, role: 'engine' | 'beside' = 'engine') => {
    await using sessions = postgres.connect()
    const session = await sessions.take()
    try {
      await bringUpToDate(session, role, testTiming)
    } finally {
      session.release(false)
    }
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
