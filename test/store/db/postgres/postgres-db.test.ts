import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Sql } from '../../../../src/store/db/db.ts'
import { parseAddress } from '../../../../src/store/db/postgres/address.ts'
import { openPool } from '../../../../src/store/db/postgres/pool.ts'
import { PostgresDb } from '../../../../src/store/db/postgres/postgres-db.ts'
import { isOnServer, postgresDb, testOptions, testPostgres } from '../../../support/postgres.ts'

const onServer = it.runIf(isOnServer)

const insert = 'insert into tenants (name, base_url, created_at) values (?, ?, ?)'
const put = (name: string) => (sql: Sql) => sql(insert, [name, 'https://x', 1])
const namesIn = (sql: Sql) => sql<string>('select name from tenants order by id', [], 'values')

it('reads numbers, conditions, texts, bytes and nulls as SQLite has them', async () => {
  const text = `select cast(@n as bigint) as "aNumber", sum(x) as total, count(*) as rows, 1 = 1 as yes,
    cast(@text as text) as "aText", cast(@bytes as bytea) as bytes, null as nothing from (values (1::bigint), (2)) v (x)`
  const given = { n: 2 ** 52, text: 'ä\0\u001a1\u001a0', bytes: Buffer.from([0, 1, 255]) }
  expect(await postgresDb().read((sql) => sql(text, [given]))).toEqual([
    { aNumber: 2 ** 52, total: 3, rows: 2, yes: 1, aText: given.text, bytes: given.bytes, nothing: null },
  ])
})

it('stores a transaction as a whole or not at all', async () => {
  const db = postgresDb()
  await db.write(put('a'))
  const failing = db.write(async (sql) => {
    await put('b')(sql)
    throw new RangeError('of the work')
  })
  await expect(failing).rejects.toThrow(new RangeError('of the work'))
  await expect(db.write(async (sql) => [await put('c')(sql), await put('a')(sql)])).rejects.toMatchObject({
    reason: 'store',
    cause: { code: '23505' },
  })
  expect(await db.read(namesIn)).toEqual(['a'])
})

it('commits nothing of work that continues after a failed statement', async () => {
  const db = postgresDb()
  const work = db.write(async (sql) => {
    await put('a')(sql)
    await sql('select nonsense').catch(() => {})
  })
  // PostgreSQL within the process has no answer to the commit.
  await work.catch((error: unknown) => expect(error).toBeInstanceOf(TypeError))
  expect(await db.read(namesIn)).toEqual([])
})

it('writes nothing in a read', async () => {
  await expect(postgresDb().read(put('a'))).rejects.toMatchObject({ reason: 'store', cause: { code: '25006' } })
})

it('overrides limits and isolation of the role', async () => {
  const db = postgresDb()
  const text = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
    current_setting('transaction_isolation') as isolation`
  expect(await db.read((sql) => sql(text))).toEqual([{ statement: '1min', lock: '8s', isolation: 'repeatable read' }])
})

onServer('fails a statement that takes longer than its limit', async () => {
  const db = postgresDb({ limits: { statementMs: 20, idleMs: 5000, silenceMs: 60_000 } })
  await expect(db.read((sql) => sql('select pg_sleep(5)'))).rejects.toMatchObject({ cause: { code: '57014' } })
  expect(await db.read((sql) => sql('select 1 as n'))).toEqual([{ n: 1 }])
})

onServer('sees one state of the database in all statements of a read', async () => {
  const db = postgresDb()
  const seen = await db.read(async (sql) => {
    const before = await namesIn(sql)
    await db.write(put('a'))
    return [before, await namesIn(sql)]
  })
  expect(seen).toEqual([[], []])
  expect(await db.read(namesIn)).toEqual(['a'])
})

onServer('repeats a transaction that conflicts with another one, and waits longer each time', async () => {
  const waits: number[] = []
  const clock = { sleep: async (ms: number) => void waits.push(ms) }
  const db = postgresDb({ clock })
  await db.write(put('a'))
  let tries = 0
  await db.write(async (sql) => {
    await namesIn(sql)
    if (++tries <= 3) await db.write((other) => other('update tenants set base_url = ?', [`https://${tries}`]))
    await sql('update tenants set name = ?', ['b'])
  })
  expect([tries, waits]).toEqual([4, [10, 20, 40]])
  expect(await db.read(namesIn)).toEqual(['b'])
})

onServer('gives up after six conflicts', async () => {
  const db = postgresDb()
  await db.write(put('a'))
  let tries = 0
  const work = db.write(async (sql) => {
    await namesIn(sql)
    await db.write((other) => other('update tenants set base_url = ?', [`https://${++tries}`]))
    await sql('update tenants set name = ?', ['b'])
  })
  await expect(work).rejects.toMatchObject({ reason: 'store', cause: { code: '40001' } })
  expect(tries).toBe(6)
})

const owner = `select 1 from tenants where name = 'a'`

it('writes behind a fence only while its row is found', async () => {
  const db = postgresDb()
  await db.write(put('a'))
  const fenced = db.fencedBy(owner)
  await fenced.write(put('b'))
  db.query(`update tenants set name = 'z' where name = 'a'`)
  await expect(fenced.write(put('c'))).rejects.toMatchObject({ name: 'SyncError', reason: 'aborted' })
  expect(await fenced.read(namesIn)).toEqual(['z', 'b'])
})

onServer('makes a new owner wait for the transactions of the last one', async () => {
  const db = postgresDb()
  await db.write(put('a'))
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: written, resolve: isWritten } = Promise.withResolvers<void>()
  const last = db.fencedBy(owner).write(async (sql) => {
    await put('b')(sql)
    isWritten()
    await gate
  })
  await written
  let taken = false
  const takeover = db
    .write((sql) => sql(`update tenants set name = 'z' where name = 'a'`))
    .then(() => {
      taken = true
    })
  while (db.query(`select 1 from pg_locks where not granted`).length === 0) await nextTurn()
  expect(taken).toBe(false)
  open()
  await Promise.all([last, takeover])
  expect(await db.read(namesIn)).toEqual(['z', 'b'])
})

it('runs the writes behind a fence one after the other', async () => {
  const db = postgresDb()
  await db.write(put('a'))
  const fenced = db.fencedBy(owner)
  const events: string[] = []
  const step = (name: string) => async (sql: Sql) => {
    events.push(`${name} begins`)
    await put(name)(sql)
    events.push(`${name} ends`)
  }
  await Promise.all([fenced.write(step('b')), fenced.write(step('c'))])
  expect(events).toEqual(['b begins', 'b ends', 'c begins', 'c ends'])
})

async function pooled(silenceMs = 60_000) {
  const postgres = testPostgres('empty')
  const { address } = parseAddress(postgres.url ?? '')
  const pool = await openPool({ address, password: async () => null, connections: 2, idleMs: 1000, silenceMs })
  const db = new PostgresDb(pool, testOptions)
  onTestFinished(async () => {
    await db[Symbol.asyncDispose]()
    await postgres.drop()
  })
  return { db, ...postgres }
}

onServer('replaces a connection that the server closed', async () => {
  const { db, query } = await pooled()
  const pid = (sql: Sql) => sql<number>('select pg_backend_pid()', [], 'values')
  const [idle] = await db.read(pid)
  query(`select pg_terminate_backend(${idle})`)
  await expect.poll(() => db.read(pid).catch(() => [idle])).not.toEqual([idle])
  const broken = db.read(async (sql) => {
    query(`select pg_terminate_backend(${(await pid(sql))[0]})`)
    return sql('select 1')
  })
  await expect(broken).rejects.toMatchObject({ reason: 'store' })
  expect(await db.read((sql) => sql('select 1 as n'))).toEqual([{ n: 1 }])
})

onServer('closes a connection whose server is silent', async () => {
  const { db } = await pooled(100)
  await expect(db.read((sql) => sql('select pg_sleep(2)'))).rejects.toMatchObject({
    reason: 'store',
    message: 'The database server cannot be reached',
  })
  expect(await db.read((sql) => sql('select 1 as n'))).toEqual([{ n: 1 }])
})
