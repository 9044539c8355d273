import { expect, it } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import type { FaultEffect } from '../../../src/simulator/index.ts'
import { aDay, type Cli, cli, type Decidable, doctor, json, synced } from '../support/cli.ts'

const about = async (world: Pick<Cli, 'run'>, subject: string) =>
  (await doctor(world)).rows.filter((one) => one.subject === subject).map(({ level, text }) => `${level}: ${text}`)

it('asks every endpoint once, and makes no database', async () => {
  const world = await cli()
  const { run, simulator } = world
  const { code, stdout } = await doctor(world)
  expect(code).toBe(0)
  expect(stdout.match(/^ok .* Api_\w+_Read: /gm)).toHaveLength(resources.length)
  expect(simulator.requests.count()).toBe(resources.length)
  expect(simulator.requests.all().map(({ method }) => method)).toEqual(Array(resources.length).fill('GET'))
  expect(stdout).toMatch(/^ok clock: the clocks agree$/m)
  expect(stdout).toMatch(/^ok database: .*mirror\.db does not exist yet; the first sync creates it$/m)
  expect(await run('findings')).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no mirror') })
})

it('fails on an empty list of API clients and on a wrong clock, and warns of a list that was accepted', async () => {
  const world = await synced()
  const { simulator, pass, run } = world
  const fault = { path: '/api/public/api-clients', effect: { kind: 'empty' } } as const
  simulator.faults.add({ ...fault, times: 1 })
  expect((await doctor(world)).code).toBe(0)
  simulator.faults.add(fault)
  const skew = simulator.faults.add({ path: '/api/public/roles', effect: { kind: 'clock-skew', ms: 900_000 } })
  const failed = await doctor(world)
  expect([failed.code, failed.stdout]).toEqual([3, expect.stringMatching(/^fail api-clients .*contains the caller/m)])
  expect(failed.stdout).toMatch(/^fail clock: .* is 900\.0 s ahead of this one, more than 300 s\. Correct the clock/m)
  simulator.faults.remove(skew.id)
  pass(aDay)
  await run('sync', '--full')
  const [{ id, count } = { id: '', count: 0 }] = await json<Decidable>(world, 'accept')
  await run('accept', id, '--reason', 'All were deleted', '--by', 'me', '--count', String(count))
  expect((await run('sync', '--full')).code).toBe(0)
  const { code, stdout } = await doctor(world)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^warn api-clients .*was accepted/m)])
})

it('reads the tenants where the address of the database cannot be read', async () => {
  const world = await cli()
  const store = 'store: { url: { command: ["false"] } }'
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml').replace(/^store: .*$/m, store))
  const { code, stdout } = await doctor(world)
  expect([code, stdout.match(/^ok .* Api_/gm)?.length]).toEqual([3, resources.length])
})

const repeated = { requestId: 'a0000000-0000-4000-8000-000000000001', timestamp: '2026-03-01T12:00:00.000Z' }

it.each<[string, FaultEffect, RegExp]>([
  ['first page', { kind: 'set', path: 'pagination.nextCursor', value: null }, /^fail users .*has no cursor/m],
  ['last run', { kind: 'set', path: 'meta', value: repeated }, /^fail data: users, last run: .*earlier answer/m],
])('fails for a list that no run can read, as its %s says', async (_, effect, line) => {
  const world = await cli()
  world.simulator.faults.add({ path: '/api/public/users', effect })
  expect((await world.run('sync')).code).toBe(3)
  const { code, stdout } = await doctor(world)
  expect([code, stdout]).toEqual([3, expect.stringMatching(line)])
  expect(stdout).not.toContain('"tenantwatch doctor"')
})

it('reads only the tenant that is named', async () => {
  const world = await cli({ tenants: [{ name: 'acme' }, { name: 'globex', token: 'secondReader' }] })
  const { code, rows } = await doctor(world, '--tenant', 'globex')
  expect(code).toBe(0)
  expect(new Set(rows.map((one) => (one as unknown as { tenant: string | null }).tenant))).toEqual(
    new Set(['globex', null]),
  )
  expect(new Set(world.simulator.requests.all().map(({ tenant }) => tenant))).toEqual(new Set(['second']))
})

it('names each unreadable resource and its permission', async () => {
  const world = await cli({ tenants: [{ name: 'acme', token: 'withoutUsers' }, { name: 'initech' }] })
  const { code, stdout } = await doctor(world)
  expect(code).toBe(3)
  expect(stdout).toMatch(/^fail users Api_Users_Read: missing_permission: .*Api_Users_Read/m)
  expect(stdout.match(/^ok .* Api_/gm)).toHaveLength(2 * resources.length - 1)
})

it('does not wait a time-out for every endpoint of a tenant where nothing answers, and looks at the others', async () => {
  const world = await cli({ tenants: [{ name: 'acme' }, { name: 'dark' }] })
  const config = world.read('tenantwatch.yaml')
  world.write('tenantwatch.yaml', config.replace(/(name: dark\n +baseUrl: ).*/, '$1http://127.0.0.1:1'))
  const { code, stdout } = await doctor(world)
  expect(code).toBe(3)
  expect(stdout.match(/^ok .* Api_/gm)).toHaveLength(resources.length)
  expect(stdout.match(/^fail .* Api_\w+: network: /gm)).toHaveLength(resources.length)
  expect(stdout.match(/: network: skipped/g)).toHaveLength(resources.length - 2)
})

it('gives a remedy for every warning and failure, and counts them', async () => {
  const world = await synced({ more: 'checks: { document-current: { enabled: false } }' })
  expect((await doctor(world)).code).toBe(0)
  world.simulator.faults.add({ path: '/api/public/users', effect: { kind: 'status', status: 403 } })
  const { code, rows, stderr } = await doctor(world)
  const bad = rows.filter(({ level }) => level !== 'ok')
  expect([code, bad.length > 2]).toEqual([3, true])
  for (const { subject, next } of bad) expect([subject, next]).toEqual([subject, expect.stringMatching(/^[A-Z].{10,}/)])
  const count = (level: string) => rows.filter((one) => one.level === level).length
  expect(stderr).toBe(`${count('fail')} failures, ${count('warn')} warnings\n`.replace(/\b1 (\w+)s/g, '1 $1'))
})

it('counts the users by their multi-factor flags, and warns about a rule by which nobody is enrolled', async () => {
  const world = await synced()
  const users = [...world.simulator.primary.users.all()]
  const count = (state: string, status: boolean, action: boolean) =>
    users.filter((user) => user.state === state && user.mfaStatus === status && user.mfaAction === action).length
  const [reading] = await about(world, 'enrolledWhen')
  expect(reading).toMatch(/^ok: by "mfaStatus" \(assumed\) \d+ of 250 users are enrolled: /)
  expect(reading).toContain(`${count('Active', true, false)} Active with mfaStatus true, mfaAction false`)
  expect(reading).toContain(`${count('Invited', false, true)} Invited with mfaStatus false, mfaAction true`)
  for (const { userId } of users) world.simulator.primary.users.update(userId, { mfaStatus: false, mfaAction: true })
  world.pass(aDay)
  await world.run('sync')
  expect(await about(world, 'enrolledWhen')).toEqual([
    expect.stringMatching(/^warn: by "mfaStatus" \(assumed\) none of 250 users is enrolled; by "mfaAction" 250; by /),
  ])
})

it('asks a request a second beside an engine, whatever rate is configured', async () => {
  const world = await synced({ tenants: [{ name: 'acme' }] })
  const { takeEngineLock } = await import('../../../src/store/db/sqlite/engine-lock.ts')
  world.simulator.requests.clear()
  using _lock = takeEngineLock(world.store)
  expect(await about(world, 'engine')).toEqual(['ok: one is running'])
  const times = world.simulator.requests.all().map(({ time }) => time)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThanOrEqual(5000)
})
