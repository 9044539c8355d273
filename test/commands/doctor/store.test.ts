import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diagnosePlace } from '../../../src/doctor/database.ts'
import type { StoreFacts } from '../../../src/store/db/sqlite/store-facts.ts'
import { withDatabase } from '../../support/sqlite.ts'
import { aDay, doctor, synced } from '../support/cli.ts'

const facts: StoreFacts = {
  path: '/data/mirror.db',
  exists: true,
  bytes: 4e6,
  walBytes: 0,
  freeBytes: 1e9,
  lock: { held: false, mirrorMade: true, damage: null },
  obstacle: null,
  isOfAll: false,
}
const levels = (over: Partial<StoreFacts>) =>
  Object.fromEntries(diagnosePlace({ ...facts, ...over }).map(({ subject, level }) => [subject, level]))

function damagePage(store: string, numberOf: string, bytes: number): void {
  const [page, size] = withDatabase(store, (raw) => [
    Number(raw.prepare(numberOf).pluck().get()),
    Number(raw.pragma('page_size', { simple: true })),
  ])
  const file = openSync(store, 'r+')
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, (page - 1) * size)
  closeSync(file)
}

it('reports the free space, the write-ahead log and the mode of a database', () => {
  expect(levels({})).toEqual({ engine: 'ok', disk: 'ok' })
  expect(levels({ bytes: 950e6 })).toEqual({ engine: 'ok', disk: 'warn' })
  expect(levels({ freeBytes: 1e6 })).toEqual({ engine: 'ok', disk: 'fail' })
  expect(levels({ freeBytes: null })).toEqual({ engine: 'ok' })
  expect(levels({ isOfAll: true })).toEqual({ database: 'warn', engine: 'ok', disk: 'ok' })
  expect(levels({ walBytes: 300 * 2 ** 20 })).toEqual({ engine: 'ok', 'write-ahead log': 'warn', disk: 'ok' })
})

it.each([true, false])('fails for a database that this user cannot write or create (exists: %s)', (exists) => {
  const [found] = diagnosePlace({ ...facts, exists, obstacle: 'this user may not write /data (EACCES)' })
  expect(found).toMatchObject({ level: 'fail', text: expect.stringContaining('EACCES') })
})

it.each([
  ['deleted', (store: string) => rmSync(store), /^fail database: .*existed before and is missing or empty.*Restore a/m],
  ['emptied', (store: string) => writeFileSync(store, ''), /^fail database: .*existed before and is missing or empty/m],
  [
    'left with a damaged lock',
    (store: string) => writeFileSync(`${store}-lock`, Buffer.alloc(8192, 0xa5)),
    /^fail engine: The lock file .*mirror\.db-lock is damaged; delete it/m,
  ],
])('fails on a database that was %s: no engine starts then', async (_, lose, line) => {
  const world = await synced()
  lose(world.store)
  for (const file of ['-wal', '-shm']) rmSync(`${world.store}${file}`, { force: true })
  expect(await world.run('sync')).toMatchObject({ code: 3 })
  const { code, stdout } = await doctor(world)
  expect([code, stdout]).toEqual([3, expect.stringMatching(line)])
})

it('finds damage in a page that nothing else it does would read', async () => {
  const world = await synced()
  damagePage(world.store, "select max(pageno) from dbstat where name = 'permissions'", 500)
  const { code, stdout } = await doctor(world)
  expect(code).toBe(3)
  expect(stdout).toMatch(/^fail database: .*damaged.*restore a backup/m)
})

it.each([
  ['1', /^fail database: .*older layout; run "tenantwatch sync"/m],
  ['9e15', /^fail database: .*newer tenantwatch/m],
])('distinguishes an older layout from a newer one (%s)', async (createdAt, line) => {
  const world = await synced()
  withDatabase(world.store, (raw) => raw.exec(`update __drizzle_migrations set created_at = ${createdAt}`))
  const { code, stdout } = await doctor(world)
  expect([code, stdout]).toEqual([3, expect.stringMatching(line)])
})

it('names tenants that are in the mirror and not in the configuration', async () => {
  const world = await synced()
  const path = join(world.folder, 'tenantwatch.yaml')
  writeFileSync(path, readFileSync(path, 'utf8').replace('name: acme', 'name: renamed'))
  const { stdout } = await doctor(world)
  expect(stdout).toMatch(/^warn former tenants: no longer configured, but in the mirror: acme\./m)
})

it('names quarantined records and what is wrong with each, without a request and without a value of theirs', async () => {
  const { run, simulator, pass } = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  expect(await run('doctor', '--quarantine')).toMatchObject({ code: 0, stdout: '' })
  const [user] = [...simulator.primary.users.all()]
  simulator.primary.users.update(user?.userId ?? 0, { state: 7 as never })
  pass(aDay)
  await run('sync', '--full')
  const requests = simulator.requests.all().length
  const { stdout } = await run('doctor', '--quarantine')
  expect(stdout).toMatch(new RegExp(`\nacme +users +${user?.userId} +2026-03-02 12:00 +[\\w-]+ +state is .*\n`))
  expect(stdout).not.toContain('@')
  expect(simulator.requests.all()).toHaveLength(requests)
  expect(JSON.parse((await run('doctor', '--quarantine', '--format', 'json')).stdout)).toEqual([
    expect.objectContaining({
      tenant: 'acme',
      resource: 'users',
      id: String(user?.userId),
      since: '2026-03-02T12:00:00.000Z',
    }),
  ])
  expect((await doctor({ run })).stdout).toMatch(
    /^warn data: .*users: 1 record in quarantine, .*"tenantwatch doctor --quarantine"/m,
  )
  expect((await run('doctor', '--quarantine', '--tenant', 'acme')).stdout).toBe(stdout)
})
