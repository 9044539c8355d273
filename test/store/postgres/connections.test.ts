import { createServer, connect as dial, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/model/process/system-clock.ts'
import { openPostgres } from '../../../src/store/postgres/open.ts'
import { openPool, type PoolOptions } from '../../../src/store/postgres/pool.ts'
import type { Session } from '../../../src/store/postgres/session.ts'
import { type TestPostgres, testPostgres } from '../../support/postgres.ts'

const ofServer = it.runIf(process.env['TEST_POSTGRES_URL'] !== undefined)

let roles = 0
let postgres: TestPostgres
let place: URL

beforeEach(() => {
  postgres = testPostgres()
  place = new URL(postgres.url ?? 'postgres://none/none')
})
afterEach(() => postgres.drop())

/** A role that owns the database, for the length of a test. */
function owner(limit = -1): string {
  const role = `owner_${process.pid}_${++roles}`
  postgres.query(`create role ${role} login connection limit ${limit}`)
  postgres.query(`grant all on schema public to ${role}`)
  postgres.query(`grant create on database ${place.pathname.slice(1)} to ${role}`)
  return role
}

async function pool(user: string, options: Partial<PoolOptions> = {}, port = Number(place.port)) {
  const address = { host: '127.0.0.1', port, user, database: place.pathname.slice(1), tls: null }
  const sessions = await openPool({ address, password: async () => null, ...options })
  onTestFinished(() => sessions[Symbol.asyncDispose]())
  return sessions
}

async function pidOf(session: Session): Promise<number> {
  const { rows } = await session.sendText('select pg_backend_pid() as pid')
  return (rows as [{ pid: number }])[0].pid
}

/** Passes everything on, until it is told to lose the answers of the connections that are open. */
async function proxy(): Promise<{ readonly port: number; lose(): void }> {
  const answers = new Set<Socket>()
  const server = createServer((socket) => {
    const there = dial(Number(place.port), '127.0.0.1')
    for (const one of [socket, there]) one.on('error', () => {})
    socket.pipe(there)
    there.pipe(socket)
    answers.add(there)
    socket.on('close', () => there.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return {
    port,
    lose: () => {
      for (const there of answers) {
        there.unpipe()
        there.resume()
      }
    },
  }
}

ofServer('knows whether the server works for a connection', async () => {
  const { lose, port } = await proxy()
  const sessions = await pool('tenantwatch', {}, port)
  const [working, lost] = [await sessions.take(), await sessions.take()]
  const pid = await pidOf(lost)
  expect(await lost.isServed?.()).toBe(false)
  const sleeping = working.sendText('select pg_sleep(60)').catch(() => {})
  lose()
  const answer = lost.sendText('select 1').catch(() => 'broken')
  while ((await working.isServed?.()) !== true) await new Promise((resolve) => setImmediate(resolve))
  expect(await lost.isServed?.()).toBe(false)
  postgres.query(`select pg_terminate_backend(${pid})`)
  while (postgres.query(`select 1 from pg_stat_activity where pid = ${pid}`).length > 0);
  expect(await lost.isServed?.()).toBe(false)
  sessions.breakAll?.()
  expect(await answer).toBe('broken')
  await sleeping
  for (const session of [working, lost]) session.release(true)
})

ofServer('closes what was open when the server did not answer', async () => {
  const sessions = await pool('tenantwatch')
  const [one, other] = [await sessions.take(), await sessions.take()]
  const before = [await pidOf(one), await pidOf(other)]
  other.distrust?.()
  for (const session of [one, other]) session.release(false)
  const again = await sessions.take()
  const pid = await pidOf(again)
  expect(before).not.toContain(pid)
  again.release(false)
  const same = await sessions.take()
  expect(await pidOf(same)).toBe(pid)
  same.release(false)
})

ofServer('makes room for heartbeats where the server takes no more connections', async () => {
  const role = owner(3)
  const work = await pool(role)
  const heartbeats = await pool(role, {
    connections: 2,
    makeRoom: async (signal) => (await work.makeRoom?.(signal)) ?? false,
  })
  const taken = [await work.take(), await work.take(), await work.take()]
  taken.pop()?.release(false)
  const first = await heartbeats.take()
  let isSecond = false
  const second = heartbeats.take().then((session) => {
    isSecond = true
    return session
  })
  await pidOf(first)
  expect(isSecond).toBe(false)
  taken.pop()?.release(false)
  for (const session of [first, await second, ...taken]) session.release(false)
})

ofServer('fails a heartbeat at once where there is no connection to close, and makes no room twice', async () => {
  const role = owner(1)
  const [other, work] = [await pool(role), await pool(role)]
  const heartbeats = await pool(role, {
    connections: 2,
    makeRoom: async (signal) => (await work.makeRoom?.(signal)) ?? false,
  })
  const taken = await other.take()
  await expect(heartbeats.take()).rejects.toThrow(/too many connections/)
  taken.release(true)
  while (postgres.query(`select 1 from pg_stat_activity where usename = '${role}'`).length > 0);
  const own = await work.take()
  own.release(false)
  const signal = new AbortController().signal
  expect(await Promise.all([work.makeRoom?.(signal), work.makeRoom?.(signal)])).toEqual([true, true])
  const first = await heartbeats.take()
  await pidOf(first)
  first.release(false)
})

ofServer('keeps to the schema of its tables, and makes no second mirror in another one', async () => {
  const role = owner()
  const url = new URL(place)
  url.username = role
  const open = () =>
    openPostgres({ url: async () => url.href, role: 'engine', clock: systemClock(), random: () => 0.5 })
  postgres.query('drop schema public cascade')
  postgres.query(`create schema "Mirror" authorization ${role}`)
  postgres.query(`alter role ${role} set search_path = "Mirror"`)
  const { database, ...opened } = await open()
  const tenants = () => database.read(() => database.prepareValues<[], number>('select count(*) from tenants').get())
  expect(await tenants()).toBe(0)
  postgres.query(`alter role ${role} reset search_path`)
  postgres.query(`create schema ${role} authorization ${role}`)
  database.breakConnections()
  await expect.poll(tenants).toBe(0)
  await expect(open()).rejects.toThrow(
    `The mirror is in schema "Mirror", but the search_path of the user leads to schema "${role}"`,
  )
  await opened[Symbol.asyncDispose]()
  expect(postgres.query(`select 1 from pg_tables where schemaname = '${role}'`)).toEqual([])
})

ofServer('starts whatever statement_timeout the role has', async () => {
  const url = new URL(place)
  url.username = owner()
  postgres.query(`alter role ${url.username} set statement_timeout = 20`)
  postgres.query('drop schema public cascade')
  postgres.query(`create schema public authorization ${url.username}`)
  const timing = { clock: systemClock(), random: () => 0.5 }
  const { database, ...opened } = await openPostgres({ url: async () => url.href, role: 'engine', ...timing })
  expect(await database.read(() => database.prepareValues<[], number>('select count(*) from tenants').get())).toBe(0)
  await opened[Symbol.asyncDispose]()
})
