import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { unconfirmed } from '../../../src/daemon/serve.ts'
import type { Log } from '../../../src/model/log.ts'
import { parseAddress } from '../../../src/store/db/postgres/address.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { replicaOver } from '../../../src/store/db/postgres/postgres-mirror.ts'
import type { Sessions } from '../../../src/store/postgres/session.ts'
import { DriverError } from '../../../src/store/db/postgres/store-error.ts'
import { testPostgres, testTiming } from '../../support/postgres.ts'

/** A replica whose server fails as the test says; its loops run when the test wakes them. */
async function world() {
  const postgres = testPostgres()
  const inner = postgres.connect()
  const state = { code: '', ms: 0, broken: 0 }
  const sessions: Sessions = {
    take: () =>
      state.code === '' ? inner.take() : Promise.reject(new DriverError({ code: state.code, message: 'in trouble' })),
    breakAll: () => void state.broken++,
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  }
  const sleeping: (() => void)[] = []
  const clock = {
    now: () => 1_000_000 + state.ms,
    monotonic: () => state.ms,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((wake) => {
        sleeping.push(wake)
        if (signal?.aborted) wake()
        signal?.addEventListener('abort', () => wake())
      }),
  }
  const warnings: string[] = []
  const log = { warn: ({ detail }: { readonly detail: string }) => void warnings.push(detail) } as unknown as Log
  const database = new PostgresDatabase(sessions, testTiming)
  const { stores } = replicaOver({ clock, database, heartbeats: database, log, random: () => 0.5 }, async () => {})
  await stores.configure([{ name: 't1', baseUrl: 'https://x' }], 1, async () => 'digest')
  onTestFinished(async () => {
    state.code = ''
    await stores[Symbol.asyncDispose]()
    await inner[Symbol.asyncDispose]()
    await postgres.drop()
  })
  async function pass(): Promise<void> {
    const waiting = sleeping.length
    for (const wake of sleeping.splice(0)) wake()
    while (sleeping.length < waiting) await nextTurn()
  }
  return { state, stores, warnings, pass }
}

it('logs each trouble with the server once until it is over', async () => {
  const { state, warnings, pass } = await world()
  state.code = 'ECONNREFUSED'
  await pass()
  await pass()
  expect(warnings).toEqual([expect.stringContaining('cannot be reached (ECONNREFUSED)')])
  state.code = '25006'
  await pass()
  state.code = 'ECONNREFUSED'
  await pass()
  expect(warnings).toEqual([expect.anything(), expect.stringContaining('The database is read-only (25006)')])
  state.code = ''
  await pass()
  state.code = 'ECONNREFUSED'
  await pass()
  expect(warnings).toHaveLength(3)
})

it('leaves connections alone while the server answers: pages are read from a standby, too', async () => {
  const { state, stores, pass } = await world()
  state.code = '25006'
  state.ms = 7000
  await pass()
  expect([unconfirmed({ stores })?.ok, state.broken]).toEqual([false, 0])
})

it('is not ready and breaks connections that may wait for a silent server, once it may write nothing', async () => {
  const { state, stores, pass } = await world()
  expect(unconfirmed({ stores })).toBeNull()
  state.code = 'ETIMEDOUT'
  state.ms = 5000
  await pass()
  expect([unconfirmed({ stores }), state.broken]).toEqual([null, 0])
  state.ms = 7000
  await pass()
  expect([unconfirmed({ stores })?.ok, state.broken]).toEqual([false, 1])
  state.code = ''
  await pass()
  expect([unconfirmed({ stores }), state.broken]).toEqual([null, 1])
})

const url = process.env['TEST_POSTGRES_URL']

it.runIf(url !== undefined)('breaks connections that are taken and idle ones, and connects again', async () => {
  const { address, password } = parseAddress(url ?? '')
  await using pool = await openPool({ address, password: async () => password })
  const [busy, idle] = [await pool.take(), await pool.take()]
  await idle.sendText('select 1')
  idle.release(false)
  const answer = busy.sendText('select pg_sleep(60)')
  pool.breakAll?.()
  await expect(answer).rejects.toThrow('Connection terminated')
  busy.release(true)
  const again = await pool.take()
  expect((await again.sendText('select 7 as n')).rows).toEqual([{ n: 7 }])
  again.release(false)
})
