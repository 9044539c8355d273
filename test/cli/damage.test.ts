import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openWorld } from '../hostile/support/world.ts'
import { damageIndex, enlarge } from '../support/large-mirror.ts'
import { aDay, synced } from './support/cli.ts'

function contentOf(path: string): unknown {
  const raw = new BetterSqlite3(path, { readonly: true })
  onTestFinished(() => void raw.close())
  const tables = ['users', 'findings', 'check_states', 'runs', 'sync_states', 'tenants']
  return tables.map((table) => raw.prepare(`select * from ${table}`).all())
}

it('syncs and judges nothing on a large mirror that is damaged, and ends with 3 and one sentence', async () => {
  const world = await synced()
  enlarge(world.store)
  damageIndex(world.store)
  const before = contentOf(world.store)
  world.pass(aDay)
  const requests = world.simulator.requests.count()
  const { code, stderr } = await world.run('sync')
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/The database .* is damaged \(.*users_posture.*\); restore/),
  ])
  expect(contentOf(world.store)).toEqual(before)
  expect(world.simulator.requests.count()).toBe(requests)
})

it('syncs a large mirror that is sound', async () => {
  const world = await synced()
  enlarge(world.store)
  world.pass(aDay)
  expect(await world.run('sync')).toMatchObject({ code: 0 })
})

it('serves what a large damaged mirror holds until the damage is found, then ends', async () => {
  await using world = await openWorld()
  expect(await world.run('sync')).toMatchObject({ code: 0 })
  enlarge(world.store)
  damageIndex(world.store)
  const before = contentOf(world.store)
  await using daemon = await world.daemon()
  const answer = await fetch(`${daemon.origin}/metrics`)
  expect(answer.status).toBe(200)
  await expect(daemon.broken).rejects.toThrow(/is damaged/)
  expect(contentOf(world.store)).toEqual(before)
})
