import { join } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it, vi } from 'vitest'
import { type CopyOptions, copiedTables } from '../../../../src/store/copy.ts'
import type { Db, RowMode } from '../../../../src/store/db/db.ts'
import { copyInto } from '../../../../src/store/db/postgres/copy-into.ts'
import type { PostgresDb } from '../../../../src/store/db/postgres/postgres-db.ts'
import { openFileSource } from '../../../../src/store/db/sqlite/copy-source.ts'
import { openMirror } from '../../../../src/store/db/sqlite/sqlite-mirror.ts'
import * as schema from '../../../../src/store/schema/index.ts'
import { postgresDb } from '../../../support/postgres.ts'
import { withDatabase } from '../../../support/sqlite.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const rowsPerTable = 7

const odd = ['', '\0', '\u001a', '\u001a0', 'a\0b\u001a1', 'Ångström 🌍', "'; drop table users; --", '{"a":null}']
const numbers = [0, -1, 1, 2 ** 53 - 1, 1.4, -0.4, 1_772_366_400_000]
const bytes = [Buffer.from([]), Buffer.from([0, 255, 10]), Buffer.from('text')]

const tables: readonly SQLiteTable[] = Object.values(schema)

/** A file whose tables have rows of every kind of value. */
async function oddMirror(): Promise<string> {
  const path = join(temporaryFolder(), 'odd.db')
  await openMirror(path, 'engine')[Symbol.asyncDispose]()
  withDatabase(path, (raw) => {
    for (const table of tables) fill(raw, table)
  })
  return path
}

function fill(raw: BetterSqlite3.Database, table: SQLiteTable): void {
  const { name, columns } = getTableConfig(table)
  const list = columns.map((column) => `"${column.name}"`).join(', ')
  const insert = raw.prepare(`insert into "${name}" (${list}) values (${columns.map(() => '?').join(', ')})`)
  for (let n = 0; n < rowsPerTable; n++) {
    const values = columns.map(({ name: column, dataType, notNull, primary }, at) => {
      const isKey = primary || /(^|_)(id|key|rid|block|page)$/.test(column)
      if (column === 'rid') return 5000 + n
      if (dataType === 'number') return isKey || column === 'removed_at' ? n + 1 : numbers[(n + at) % numbers.length]
      if (dataType === 'boolean') return n % 2
      if (dataType === 'buffer') return bytes[n % bytes.length]
      if (!notNull && (n + at) % 3 === 0) return null
      return `${odd[(n + at) % odd.length]}${notNull ? ` ${n}` : ''}`
    })
    insert.run(values)
  }
}

const never = new AbortController().signal

async function copied(path: string, db: Db, options: Partial<CopyOptions> = {}) {
  using source = await openFileSource(path, never)
  return await copyInto(db, { source, signal: never, ...options })
}

const list = (names: readonly string[]) => names.map((one) => `"${one}"`).join(', ')

/** All values as the stores see them, in one order for both databases. */
async function bothSides(path: string, db: PostgresDb) {
  const here: Record<string, unknown> = {}
  const there: Record<string, unknown> = {}
  for (const { name, columns } of copiedTables) {
    const text = `select ${list(columns)} from "${name}"`
    const inOrder = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).toSorted()
    const whole = (value: unknown) => (typeof value === 'number' ? Math.round(value) : value)
    const inFile = withDatabase(path, (raw) => raw.prepare(text).raw().all() as unknown[][])
    here[name] = inOrder(inFile.map((row) => row.map(whole)))
    there[name] = inOrder(await db.read((sql) => sql<unknown[]>(text, [], 'arrays')))
  }
  return { here, there }
}

it('copies every value of every table', async () => {
  const path = await oddMirror()
  const db = postgresDb()
  const results = await copied(path, db)
  expect(results.filter(({ rows }) => rows !== rowsPerTable)).toEqual([])
  const { here, there } = await bothSides(path, db)
  expect(there).toEqual(here)
})

it('copies each table of the file, and names the tables that it leaves', async () => {
  const path = await oddMirror()
  const { query } = postgresDb()
  const copiedNames = new Set(copiedTables.map(({ name }) => name))
  const inFile = withDatabase(path, (raw) => {
    const names = "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'"
    return raw.prepare(names).pluck().all() as string[]
  })
  expect(inFile.filter((name) => !copiedNames.has(name))).toEqual(['__drizzle_migrations'])
  const inDatabase = query(
    "select relname as name from pg_class where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'r'",
  ).map(({ name }) => String(name))
  // What the database and its replicas need.
  expect(inDatabase.filter((name) => !copiedNames.has(name)).toSorted()).toEqual([
    'leases',
    'replicas',
    'tenantwatch_migrations',
  ])
  for (const { name, columns } of copiedTables) {
    const found = withDatabase(path, (raw) => raw.pragma(`table_info("${name}")`)) as { name: string }[]
    expect(found.map((column) => column.name)).toEqual(columns)
  }
})

const isEmpty = (db: ReturnType<typeof postgresDb>) =>
  copiedTables.every(({ name }) => db.query(`select 1 from "${name}" limit 1`).length === 0)

/** A statement about the records, and the state of the copy when it runs. */
const moments = [
  ['copying', 'insert into "records"'],
  ['verifying', 'declare "copied_records"'],
] as const

/** The database, where something happens before a statement runs. */
function before(db: PostgresDb, statement: string, act: () => void): Db {
  return {
    dialect: db.dialect,
    read: (work) => db.read(work),
    write: (work) =>
      db.write((sql) => {
        const acting = <Row>(text: string, ...more: [params?: readonly unknown[], mode?: RowMode]) => {
          if (text.startsWith(statement)) act()
          return sql<Row>(text, ...more)
        }
        return work(Object.assign(acting, { dialect: sql.dialect }))
      }),
  }
}

it.each(moments)('stores nothing of a copy that is stopped while it is %s', async (_, statement) => {
  const path = await oddMirror()
  const db = postgresDb()
  const stop = new AbortController()
  const stopping = before(db, statement, () => {
    stop.abort(new DOMException('The program is stopping', 'AbortError'))
  })
  await expect(copied(path, stopping, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' })
  expect(isEmpty(db)).toBe(true)
  await copied(path, db)
  const { here, there } = await bothSides(path, db)
  expect(there).toEqual(here)
})

it('stores nothing of a copy that differs, and names the tables', async () => {
  const path = await oddMirror()
  const db = postgresDb()
  // Rules act in the transaction of the copy.
  db.query(`create rule tamper as on insert to sync_states do also update records set raw = 'x' where rid = 5002`)
  db.query(`create rule tamper as on insert to tenants do also delete from events where id = 5`)
  await expect(copied(path, db)).rejects.toThrow(/differs from the file in events, records; nothing was stored$/)
  expect(isEmpty(db)).toBe(true)
})

it.each(moments)('keeps the file from changes while it is %s', async (_, statement) => {
  const path = await oddMirror()
  const refused = vi.fn(() => {
    const change = (raw: BetterSqlite3.Database) => raw.exec('pragma busy_timeout = 0; delete from runs where id > 2')
    expect(() => withDatabase(path, change)).toThrow(/locked/)
  })
  await copied(path, before(postgresDb(), statement, refused))
  expect(refused).toHaveBeenCalledOnce()
})

it('gives later rows the ids after the copied ones', async () => {
  const path = await oddMirror()
  const db = postgresDb()
  await copied(path, db)
  const [{ id }] = db.query(
    `insert into events (tenant_id, at, kind, subject, digest, hash) values (1, 1, 'x', 'y', '', '') returning id`,
  ) as [{ id: number }]
  expect(id).toBe(rowsPerTable + 1)
  const [{ later }] = db.query(
    `insert into records (tenant_id, resource, key, first_seen_at, read_at) values (1, 'x', 'y', 1, 1)
       returning rid > (select max(rid) from records) as later`,
  ) as [{ later: number }]
  expect(later).toBe(1)
})
