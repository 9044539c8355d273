import BetterSqlite3 from 'better-sqlite3'
import { count, eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import { orm } from '../../src/store/orm.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import type { Ask } from '../../src/store/steps.ts'

const notes = sqliteTable('notes', { n: integer('n').notNull(), ofTenant: text('of_tenant') })
const tenants = sqliteTable('tenants', { name: text('name').notNull(), since: integer('since').notNull() })

function opened() {
  const raw = new BetterSqlite3(':memory:')
  raw.exec("create table notes (n integer not null, of_tenant text); insert into notes values (1, 'a'), (2, 'b')")
  raw.exec("create table tenants (name text not null, since integer not null); insert into tenants values ('a', 7)")
  return new SqliteDatabase(raw)
}

it('runs a statement when its step is taken, not before', async () => {
  const database = opened()
  const insert = database.prepare<[number]>('insert into notes (n) values (?)')
  const all = database.prepareValues<[], number>('select n from notes order by n')
  const seen = await database.write('nothing', function* () {
    const step = insert.run(3)
    const before = yield* all.all()
    yield* step
    return { before, after: yield* all.all() }
  })
  expect(seen).toEqual({ before: [1, 2], after: [1, 2, 3] })
})

it('keeps steps of one statement apart, also one that is never taken', async () => {
  const database = opened()
  const find = database.prepareValues<[number], string>('select of_tenant from notes where n = ?')
  find.get(2)
  const found = await database.read(function* () {
    const [one, two] = [find.get(1), find.get(2)]
    return [yield* two, yield* one]
  })
  expect(found).toEqual(['b', 'a'])
})

it('takes a step once', async () => {
  const database = opened()
  const step = database.prepare('select 1').get()
  await database.read(() => step)
  await expect(database.read(() => step)).rejects.toThrow('A step was taken twice')
})

it('returns rows as objects, as arrays or as the values of their only column', async () => {
  const database = opened()
  const text = 'select n, of_tenant as "ofTenant" from notes where n < ? order by n'
  expect(await database.read(() => database.prepare<[number]>(text).all(2))).toEqual([{ n: 1, ofTenant: 'a' }])
  expect(await database.read(() => database.prepareRows<[number], unknown[]>(text).all(2))).toEqual([[1, 'a']])
  expect(await database.read(() => database.prepareValues<[number], number>(text).get(9))).toBe(1)
  expect(await database.read(() => database.prepareValues<[number], number>(text).get(1))).toBeUndefined()
})

it("runs drizzle's builders with placeholders", async () => {
  const database = opened()
  const joined = database.select(
    orm
      .select({ note: notes, since: tenants.since })
      .from(notes)
      .innerJoin(tenants, eq(tenants.name, notes.ofTenant))
      .where(eq(notes.n, sql.placeholder('n'))),
  )
  expect(await database.read(() => joined.all({ n: 1 }))).toEqual([{ note: { n: 1, ofTenant: 'a' }, since: 7 }])
  expect(await database.read(() => joined.get({ n: 2 }))).toBeUndefined()
  const counted = database.select(orm.select({ notes: count() }).from(notes))
  await database.write('nothing', function* () {
    yield* database.select(orm.insert(notes).values({ n: 3 })).run()
    yield* database.select(orm.update(notes).set({ ofTenant: 'c' }).where(eq(notes.n, 3))).run()
    yield* database.select(orm.delete(notes).where(eq(notes.n, 1))).run()
  })
  expect(await database.read(() => counted.get())).toEqual({ notes: 2 })
  const last = database.select(orm.select().from(notes).where(eq(notes.ofTenant, 'c')))
  expect(await database.read(() => last.all())).toEqual([{ n: 3, ofTenant: 'c' }])
})

it('undoes a transaction whose later step fails', async () => {
  const database = opened()
  const insert = database.prepare<[number | null]>('insert into notes (n) values (?)')
  const writing = database.write('nothing', function* () {
    yield* insert.run(3)
    yield* insert.run(null)
  })
  await expect(writing).rejects.toThrow(expect.objectContaining({ reason: 'store' }))
  expect(await database.read(() => database.prepareValues('select count(*) from notes').get())).toBe(2)
})

it('refuses an operation that waits for an answer of another database', async () => {
  const database = opened()
  const asking = function* () {
    yield { statement: '', params: [], shape: 'get' } satisfies Ask
  }
  await expect(database.write('nothing', asking)).rejects.toThrow('waits for an answer')
})
