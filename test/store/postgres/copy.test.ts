import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it, onTestFinished } from 'vitest'
import { copiedTables } from '../../../src/store/copy/copied-tables.ts'
import { type CopyOptions, type CopyTarget, copyMirror } from '../../../src/store/copy/copy-mirror.ts'
import { openFileSource } from '../../../src/store/db/sqlite/copy-source.ts'
import { markCopy } from '../../../src/store/postgres/copy-mark.ts'
import { databaseTarget } from '../../../src/store/postgres/copy-target.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import * as schema from '../../../src/store/schema/index.ts'
import { mirrored } from '../../../src/store/schema/mirrored.ts'
import { openMirror } from '../../../src/store/sqlite/sqlite-mirror.ts'
import { testPostgres, testTiming } from '../../support/postgres.ts'
import { withDatabase } from '../../support/sqlite.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const rowsPerTable = 7

const odd = ['', '\0', '\u001a', '\u001a0', 'a\0b\u001a1', 'Ångström 🌍', "'; drop table users; --", '{"a":null}']
const numbers = [0, -1, 1, 2 ** 53 - 1, 1.4, -0.4, 1_772_366_400_000]
const bytes = [Buffer.from([]), Buffer.from([0, 255, 10]), Buffer.from('text')]

const tables: readonly SQLiteTable[] = [...Object.values(schema), ...Object.values(mirrored)]

/** A file whose tables have rows of every kind of value. */
async function oddMirror(): Promise<string> {
  const path = join(temporaryFolder(), 'odd.db')
  await openMirror(path, 'engine')[Symbol.asyncDispose]()
  withDatabase(path, (raw) => {
    for (const table of tables) if (table !== schema.recordCounts) fill(raw, table)
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
      if (dataType === 'buffer') return bytes[n % bytes.length]
      if (!notNull && (n + at) % 3 === 0) return null
      return `${odd[(n + at) % odd.length]}${notNull ? ` ${n}` : ''}`
    })
    insert.run(values)
  }
}

async function target() {
  const postgres = testPostgres()
  const sessions = postgres.connect()
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]()
    await postgres.drop()
  })
  const database = new PostgresDatabase(sessions, testTiming)
  await markCopy(database, 'odd.db')
  return { database, query: postgres.query, target: await databaseTarget(database) }
}

const never = new AbortController().signal

async function copied(path: string, into: CopyTarget, options: Partial<CopyOptions> = {}) {
  using source = await openFileSource(path, never)
  return await copyMirror({ source, target: into, signal: never, ...options })
}

const list = (names: readonly string[]) => names.map((one) => `"${one}"`).join(', ')

/** All values as the stores see them, in one order for both databases. */
async function bothSides(path: string, database: PostgresDatabase) {
  const here: Record<string, unknown> = {}
  const there: Record<string, unknown> = {}
  for (const { name, columns } of copiedTables) {
    const text = `select ${list(columns)} from "${name}"`
    const inOrder = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).toSorted()
    const whole = (value: unknown) => (typeof value === 'number' ? Math.round(value) : value)
    const inFile = withDatabase(path, (raw) => raw.prepare(text).raw().all() as unknown[][])
    here[name] = inOrder(inFile.map((row) => row.map(whole)))
    there[name] = inOrder(await database.read(() => database.prepareRows<[], unknown[]>(text).all()))
  }
  return { here, there }
}

it('copies every value of every table, also after one was emptied, and leaves the triggers as they were', async () => {
  const path = await oddMirror()
  const { database, query, target: into } = await target()
  await copied(path, into)
  for (const table of copiedTables) if (table.kind === 'copied') await into.empty(table)
  expect(query('select count(*)::int as n from waiver_changes')).toEqual([{ n: 0 }])
  await markCopy(database, 'odd.db')
  const results = await copied(path, into)
  expect(results.filter(({ verified }) => !verified)).toEqual([])
  expect(results.filter(({ table, rows }) => rows !== rowsPerTable && table !== 'record_counts')).toEqual([])
  const { here, there } = await bothSides(path, database)
  expect(there).toEqual(here)
  const enabled = `select distinct tgenabled from pg_trigger where tgname like 'tenantwatch%'`
  expect(query(enabled)).toEqual([{ tgenabled: 'O' }])
})

it('copies each table of the file, and names the tables that it leaves', async () => {
  const path = await oddMirror()
  const { query } = await target()
  const copiedNames = new Set(copiedTables.map(({ name }) => name))
  const inFile = withDatabase(path, (raw) => {
    const names = "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'"
    return raw.prepare(names).pluck().all() as string[]
  })
  expect(inFile.filter((name) => !copiedNames.has(name))).toEqual(['__drizzle_migrations'])
  const inDatabase = query(
    "select relname as name from pg_class where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'r'",
  ).map(({ name }) => String(name))
  // What the database, its replicas and its blocks of record ids need.
  expect(inDatabase.filter((name) => !copiedNames.has(name)).toSorted()).toEqual([
    'replicas',
    'rid_counters',
    'tenant_owners',
    'tenantwatch_copy',
    'tenantwatch_migrations',
  ])
  for (const { name, columns } of copiedTables) {
    const found = withDatabase(path, (raw) => raw.pragma(`table_info("${name}")`)) as { name: string }[]
    expect(found.map((column) => column.name)).toEqual(columns)
  }
  expect(copiedTables.filter(({ kind }) => kind === 'derived').map(({ name }) => name)).toEqual(['record_counts'])
})

it('continues after an interruption at any batch without copying twice', async () => {
  const path = await oddMirror()
  const { database, target: into } = await target()
  const inserted = new Map<string, number>()
  const watched: CopyTarget = {
    ...into,
    async insert(table, rows) {
      await into.insert(table, rows)
      inserted.set(table.name, (inserted.get(table.name) ?? 0) + rows.length)
    },
    empty: (table) => Promise.reject(new Error(`${table.name} is emptied`)),
  }
  let attempts = 0
  for (let isDone = false; !isDone; attempts++) {
    const stop = new AbortController()
    const before = [...inserted.values()].reduce((sum, rows) => sum + rows, 0)
    const onProgress = () => {
      const now = [...inserted.values()].reduce((sum, rows) => sum + rows, 0)
      if (now > before) stop.abort(new DOMException('The program is stopping', 'AbortError'))
    }
    const copying = copied(path, watched, { signal: stop.signal, onProgress, rowsPerBatch: 4 })
    isDone = await copying.then(
      (results) => results.every(({ verified }) => verified),
      (error: unknown) => {
        expect(error).toMatchObject({ name: 'AbortError' })
        return false
      },
    )
  }
  const whole = copiedTables.filter(({ kind }) => kind === 'copied')
  expect(attempts).toBe(whole.length * 2 + 1)
  expect(inserted).toEqual(new Map(whole.map(({ name }) => [name, rowsPerTable])))
  const { here, there } = await bothSides(path, database)
  expect(there).toEqual(here)
})

it('copies again the tables that the file no longer begins with, and no others', async () => {
  const path = await oddMirror()
  const { database, target: into } = await target()
  const stop = new AbortController()
  const halfWay = ({ table }: { readonly table: string }) => {
    if (table === 'holds') stop.abort(new DOMException('The program is stopping', 'AbortError'))
  }
  await expect(copied(path, into, { signal: stop.signal, onProgress: halfWay })).rejects.toThrow('is stopping')
  withDatabase(path, (raw) => {
    raw.exec('update findings set message = message || 1 where id = 3')
    raw.exec('delete from decisions where id > 2')
    raw.exec(`insert into changes (tenant_id, resource, key, at, kind) values (1, 'x', 'y', 1, 'z')`)
  })
  const emptied: string[] = []
  const results = await copied(path, {
    ...into,
    empty(table) {
      emptied.push(table.name)
      return into.empty(table)
    },
  })
  expect(emptied).toEqual(['decisions', 'findings'])
  expect(results.filter(({ verified }) => !verified)).toEqual([])
  const { here, there } = await bothSides(path, database)
  expect(there).toEqual(here)
})

it('finds a changed, a missing and an additional row, and completes nothing then', async () => {
  const path = await oddMirror()
  const { query, target: into } = await target()
  let hasTampered = false
  const results = await copied(path, into, {
    onProgress({ doing }) {
      if (doing === 'copying' || hasTampered) return
      hasTampered = true
      query(`update users set extra = 'other' where rid = 5002`)
      query('delete from changes where id = 5')
      query(`insert into tenant_states (id, tenant_id, at, state) values (99, 1, 1, '{}')`)
    },
  })
  // A trigger counts the change of a record.
  const wrong = ['changes', 'record_revisions', 'tenant_states', 'users']
  expect(results.filter(({ verified }) => !verified).map(({ table }) => table)).toEqual(wrong)
  expect(query('select count(*) as n from tenantwatch_copy')).toEqual([{ n: 1 }])
})

it.each(['copying', 'verifying'])('completes nothing when the file is changed while it is %s', async (when) => {
  const path = await oddMirror()
  const { query, target: into } = await target()
  let isChanged = false
  const copying = copied(path, into, {
    onProgress({ doing }) {
      if (doing !== when || isChanged) return
      isChanged = true
      withDatabase(path, (raw) => raw.exec('delete from decisions where id > 2'))
    },
  })
  await expect(copying).rejects.toThrow('was changed while it was copied')
  expect(query('select count(*) as n from tenantwatch_copy')).toEqual([{ n: 1 }])
})

it('gives later rows the ids after the copied ones', async () => {
  const path = await oddMirror()
  const { query, target: into } = await target()
  await copied(path, into)
  const [{ id }] = query(
    `insert into changes (tenant_id, resource, key, at, kind) values (1, 'x', 'y', 1, 'z') returning id`,
  ) as [{ id: number }]
  expect(id).toBe(rowsPerTable + 1)
  expect(query(`select tenantwatch_rids(1, 'users', 1) >> 8 > max(rid) >> 8 as later from users`)).toEqual([
    { later: 1 },
  ])
})

it('leaves no lock beside a file that had none', async () => {
  const path = await oddMirror()
  const { target: into } = await target()
  rmSync(`${path}-lock`)
  await copied(path, into)
  expect(() => rmSync(`${path}-lock`)).toThrow('ENOENT')
})
