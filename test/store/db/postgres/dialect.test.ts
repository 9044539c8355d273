import { expect, it } from 'vitest'
import { bringUpToDate, inTransaction } from '../../../../src/store/db/postgres/migrate.ts'
import type { PostgresDb } from '../../../../src/store/db/postgres/postgres-db.ts'
import { postgresDb, type TestPostgres, testPostgres } from '../../../support/postgres.ts'

const role = (id: number, name: string) => [id, name] as const

/** Roles, with their names as raw texts. */
async function insert(db: PostgresDb, tenantId: number, rows: readonly ReturnType<typeof role>[]): Promise<void> {
  for (const [id, name] of rows)
    await change(
      db,
      `insert into records (tenant_id, resource, key, raw, first_seen_at, read_at) values (?, 'roles', ?, ?, 0, 0)`,
      tenantId,
      String(id),
      name,
    )
}

function get<Row>(db: PostgresDb, text: string, ...params: readonly unknown[]): Promise<Row[]> {
  return db.read((sql) => sql<Row>(text, params))
}

async function change(db: PostgresDb, text: string, ...params: readonly unknown[]): Promise<void> {
  await db.write((sql) => sql(text, params))
}

it('finds members of a list, whatever their type and characters', async () => {
  const db = postgresDb()
  const { isIn, listOf } = db.dialect
  const names = ['a"b', 'c\\d', '{e,f}', 'NULL', 'g\0h', '', ' ']
  await insert(
    db,
    1,
    names.map((name, i) => role(i, name)),
  )
  const byName = `select raw as name from records where ${isIn('raw')} order by rid`
  expect(await get(db, byName, listOf([...names, null]))).toEqual(names.map((name) => ({ name })))
  expect(await get(db, byName, listOf([]))).toEqual([])
  const byId = `select key as id from records where not ${isIn('key')} order by key`
  expect(await get(db, byId, listOf(['0', '1', '2', '3']))).toEqual([{ id: '4' }, { id: '5' }, { id: '6' }])
})

it('reads members of JSON texts', async () => {
  const db = postgresDb()
  const { jsonMember } = db.dialect
  const text = `select ${jsonMember('cast(@json as text)', 'a b')} as a, ${jsonMember('cast(@json as text)', 'c')} as c`
  expect(await get(db, text, { json: JSON.stringify({ 'a b': 'x"y' }) })).toEqual([{ a: 'x"y', c: null }])
})

it('orders texts by their bytes, and nulls as the statement says', async () => {
  const db = postgresDb()
  await insert(db, 1, [role(1, 'b'), role(2, 'B'), role(3, 'ä'), role(4, 'a')])
  const rows = await get<{ name: string }>(db, 'select raw as name from records order by raw')
  expect(rows.map(({ name }) => name)).toEqual(['B', 'a', 'b', 'ä'])
})

it('brings an empty database up to date once, and refuses others', async () => {
  const migrated = async (postgres: TestPostgres, role: 'engine' | 'beside' = 'engine') => {
    const connections = postgres.connect()
    const connection = await connections.connect()
    try {
      await inTransaction(connection, (run) => bringUpToDate(run, role))
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
