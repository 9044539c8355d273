import { expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../../../src/model/log.ts'
import { systemClock } from '../../../src/model/process/system-clock.ts'
import { parseAddress } from '../../../src/store/postgres/address.ts'
import { readToShow, twoLanes } from '../../../src/store/postgres/lanes.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { openAsReplica } from '../../../src/store/postgres/postgres-mirror.ts'
import type { Session, Sessions } from '../../../src/store/postgres/session.ts'
import { DriverError } from '../../../src/store/postgres/store-error.ts'
import { testPostgres } from '../../support/postgres.ts'

it('takes connections of its own for what somebody waits for, also later on the way, and the others for everything else', async () => {
  const taken: string[] = []
  const sessions = (name: string): Sessions => ({
    async take() {
      taken.push(name)
      return {} as Session
    },
    breakAll: () => void taken.push(`${name} broken`),
    async [Symbol.asyncDispose]() {
      taken.push(`${name} closed`)
    },
  })
  const lanes = twoLanes(sessions('work'), sessions('to show'))
  const scrape = readToShow(async () => {
    await lanes.take()
    await new Promise((resolve) => setImmediate(resolve))
    await lanes.take()
  })
  await lanes.take()
  await scrape
  expect(taken.splice(0)).toEqual(['to show', 'work', 'to show'])
  lanes.breakAll?.()
  await lanes[Symbol.asyncDispose]()
  expect(taken).toEqual(['work broken', 'to show broken', 'work closed', 'to show closed'])
})

it('takes one of the other connections while the server takes no more', async () => {
  const taken: string[] = []
  const sessions = (name: string, code: string | null): Sessions => ({
    async take() {
      taken.push(name)
      if (code !== null) throw new DriverError({ code, message: 'no' })
      return {} as Session
    },
    async [Symbol.asyncDispose]() {},
  })
  await readToShow(() => twoLanes(sessions('work', null), sessions('to show', '53300')).take())
  expect(taken.splice(0)).toEqual(['to show', 'work'])
  const refused = readToShow(() => twoLanes(sessions('work', null), sessions('to show', '28P01')).take())
  await expect(refused).rejects.toThrow('no')
  expect(taken).toEqual(['to show'])
})

it.runIf(process.env['TEST_POSTGRES_URL'] !== undefined)(
  'shows a mirror while runs wait for every other connection',
  async () => {
    const postgres = testPostgres()
    onTestFinished(() => postgres.drop())
    const url = postgres.url ?? ''
    const options = {
      url: async () => url,
      role: 'engine',
      clock: systemClock(),
      random: () => 0.5,
      log: silentLog(),
    } as const
    const { mirror, stores } = await openAsReplica(options)
    const names = Array.from({ length: 16 }, (_, n) => `t${n}`)
    await stores.configure(
      names.map((name) => ({ name, baseUrl: 'https://x' })),
      1,
      async () => 'digest',
    )
    const { address, password } = parseAddress(url)
    const pool = await openPool({ address, password: async () => password })
    const other = await pool.take()
    await other.sendText('begin; lock table tenants in share mode')
    let stored = 0
    const writing = names.map(async (name, n) => {
      await stores.of(name)?.noteTenant(n + 1, { blockedUntil: 5 })
      stored++
    })
    expect(await stores.readToShow(() => mirror.tenants())).toHaveLength(16)
    expect(stored).toBe(0)
    await other.sendText('commit')
    await Promise.all(writing)
    other.release(false)
    await pool[Symbol.asyncDispose]()
    await stores[Symbol.asyncDispose]()
    await mirror[Symbol.asyncDispose]()
  },
)
