import { count, eq, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { bringUpToDate } from '../../../../src/store/db/postgres/migrate.ts'
import type { PostgresDb } from '../../../../src/store/db/postgres/postgres-db.ts'
import { orm, queryOf } from '../../../../src/store/orm.ts'
import { syncStates, tenants } from '../../../../src/store/schema/index.ts'
import { postgresDb, type TestPostgres, testOptions, testPostgres } from '../../../support/postgres.ts'

const columns = ['"role_id"', '"name"', '"state"', '"permissions"']
const role = (id: number, name: string) => [id, name, 'Active', '[]']

function insert(db: PostgresDb, tenantId: number, rows: readonly ReturnType<typeof role>[]) {
  const inserts = db.dialect.recordInserts('roles', columns)
  return db.write((sql) => inserts.insert(sql, rows, { tenantId, at: 5, requestId: 'r' }))
}

function get<Row>(db: PostgresDb, text: string, ...params: readonly unknown[]): Promise<Row[]> {
  return db.read((sql) => sql<Row>(text, params))
}

async function change(db: PostgresDb, text: string, ...params: readonly unknown[]): Promise<void> {
  await db.write((sql) => sql(text, params))
}

it('stores new records with ids that follow each other, in the order of the rows', async () => {
  const db = postgresDb()
  const rids = await insert(db, 1, [role(2, 'b'), role(1, 'a')])
  const first = rids[0] ?? 0
  expect(rids).toEqual([first, first + 1])
  expect(await get(db, 'select rid, role_id, name, request_id from roles order by rid')).toEqual([
    { rid: first, role_id: 2, name: 'b', request_id: 'r' },
    { rid: first + 1, role_id: 1, name: 'a', request_id: 'r' },
  ])
})

it('gives no two tenants ids of one block, and none twice', async () => {
  const db = postgresDb()
  const blocks = new Map<number, number>()
  const given = new Set<number>()
  for (const size of [1, 300, 255, 2]) {
    for (const tenantId of [1, 2]) {
      const from = given.size
      const rids = await insert(
        db,
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

it('finds members of a list, whatever their type and characters', async () => {
  const db = postgresDb()
  const { isIn, listOf } = db.dialect
  const names = ['a"b', 'c\\d', '{e,f}', 'NULL', 'g\0h', '', ' ']
  await insert(
    db,
    1,
    names.map((name, i) => role(i, name)),
  )
  const byName = `select name from roles where ${isIn('name')} order by role_id`
  expect(await get(db, byName, listOf([...names, null]))).toEqual(names.map((name) => ({ name })))
  expect(await get(db, byName, listOf([]))).toEqual([])
  const byId = `select role_id as id from roles where not ${isIn('role_id')} order by role_id`
  expect(await get(db, byId, listOf([0, 1, 2, 3]))).toEqual([{ id: 4 }, { id: 5 }, { id: 6 }])
})

it('writes and reads members of JSON texts', async () => {
  const db = postgresDb()
  const { jsonArray, jsonMember, jsonWith } = db.dialect
  const array = jsonArray(['cast(@a as text)', 'cast(@b as bigint)', 'null'])
  const member = (at: number) => jsonMember(`(${array})`, at, at === 1 ? 'integer' : 'text')
  const text = `select ${array} as value, ${member(0)} as a, ${member(1)} as b, ${member(2)} as c`
  const [row] = await get<{ value: string }>(db, text, { a: 'x"\0y', b: 7 })
  expect(row).toMatchObject({ a: 'x"\0y', b: 7, c: null })
  const withMember = `select ${jsonWith('t.json', 'tenant', 'another')} as json from (select cast(? as text) as json) t`
  for (const json of ['{}', '{"a":1}', '{"tenant":"b","c":"\\u0000"}']) {
    const [changed] = await get<{ json: string }>(db, withMember, json)
    expect(JSON.parse(changed?.json ?? '')).toEqual({ ...JSON.parse(json), tenant: 'another' })
  }
  expect(await get(db, `select ${jsonMember(`'{"a b":1}'`, 'a b', 'integer')} as value`)).toEqual([{ value: 1 }])
})

it('runs drizzle’s builders with placeholders', async () => {
  const db = postgresDb()
  const tenantId = sql.placeholder('tenantId')
  await change(db, `insert into tenants (name, base_url, created_at) values ('acme', 'https://a', 3)`)
  const one = queryOf(
    orm
      .select()
      .from(tenants)
      .where(eq(tenants.name, sql.placeholder('name'))),
  )
  expect(await db.read((tx) => one.get(tx, { name: 'acme' }))).toMatchObject({
    id: 1,
    baseUrl: 'https://a',
    createdAt: 3,
  })
  const states = queryOf(orm.select({ count: count() }).from(syncStates).where(eq(syncStates.tenantId, tenantId)))
  expect(await db.read((tx) => states.all(tx, { tenantId: 1 }))).toEqual([{ count: 0 }])
})

it('counts live records by triggers, whichever statement changes them', async () => {
  const db = postgresDb()
  const counts = () =>
    get<{ value: string; count: number }>(
      db,
      `select grouping, value, count from record_counts where resource = 'roles' and tenant_id = 1 order by grouping, value`,
    )
  const [first = 0] = await insert(db, 1, [role(1, 'a'), role(2, 'b')])
  await change(
    db,
    `insert into record_counts (tenant_id, resource, grouping, value, count) values (1, 'roles', 'state', '["Active"]', 2)`,
  )
  await change(db, 'update roles set read_at = 9')
  await change(db, 'update roles set removed_at = 9 where rid = ?', first)
  expect(await counts()).toEqual([{ grouping: 'state', value: '["Active"]', count: 1 }])
  await change(db, 'update roles set missing_since = 9')
  expect(await counts()).toEqual([
    { grouping: 'missing', value: '[]', count: 1 },
    { grouping: 'state', value: '["Active"]', count: 1 },
  ])
  await change(db, 'update roles set removed_at = null where rid = ?', first)
  expect(await counts()).toEqual([
    { grouping: 'missing', value: '[]', count: 2 },
    { grouping: 'state', value: '["Active"]', count: 2 },
  ])
  await change(db, 'delete from roles')
  expect(await counts()).toEqual([])
})

it('orders texts by their bytes, and nulls as the statement says', async () => {
  const db = postgresDb()
  await insert(db, 1, [role(1, 'b'), role(2, 'B'), role(3, 'ä'), role(4, 'a')])
  const rows = await get<{ name: string }>(db, 'select name from roles order by name')
  expect(rows.map(({ name }) => name)).toEqual(['B', 'a', 'b', 'ä'])
})

it('brings an empty database up to date once, and refuses others', async () => {
  const migrated = async (postgres: TestPostgres, role: 'engine' | 'beside' = 'engine') => {
    const connections = postgres.connect()
    const connection = await connections.connect()
    try {
      await bringUpToDate(connection, role, testOptions)
    } finally {
      connection.release(false)
      await connections.end()
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
