import { setTimeout as delay } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, program, until } from './support/program.ts'

async function synced() {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 30 } })
  onTestFinished(() => simulator.close())
  const place = placeFor(simulator, temporaryFolder())
  expect(await program(place, 'sync').ended).toMatchObject({ code: 0 })
  return { simulator, place }
}

it('waits for another program that ends its writing soon', async () => {
  const { place } = await synced()
  const other = new BetterSqlite3(place.store)
  onTestFinished(() => void other.close())
  other.exec('begin immediate')
  const run = program(place, 'sync', '--resource', 'roles')
  await delay(1500)
  other.exec('commit')
  expect(await run.ended).toMatchObject({ code: 0 })
})

it('fails the runs of a daemon while another program locks the database, and continues by itself', async () => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 30 } })
  onTestFinished(() => simulator.close())
  const place = placeFor(simulator, temporaryFolder(), 'schedule: { roles: { full: "* * * * * *" } }')
  const one = await daemon(place)
  await until(async () => (await one.get('/readyz')).status === 200)
  const roles = async () =>
    (await one.get('/metrics')).text.match(/tenantwatch_sync_up\{.*"roles",mode="full"\} (\d)/)?.[1]
  const other = new BetterSqlite3(place.store)
  onTestFinished(() => void other.close())
  other.exec('begin immediate')
  await until(() => /"reason":"store"[^\n]*Another program has locked the database; close it/.test(one.stderr))
  other.exec('commit')
  await until(async () => (await roles()) === '1')
  expect(one.stderr).not.toMatch(/"stack"/)
})
