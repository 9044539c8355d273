import { expect, it } from 'vitest'
import { minuteMs, secondMs } from '../../src/model/time.ts'
import type { Report } from '../../src/report/build-report.ts'
import { type Cli, cli, startTime } from './support/cli.ts'

const check = 'api-client-secret-not-expired'
const iso = (ms: number) => new Date(ms).toISOString()

async function statusOf(world: Cli, at?: number): Promise<string> {
  const { stdout } = await world.run('report', '--format', 'json', ...(at === undefined ? [] : ['--as-of', iso(at)]))
  const { tenants } = JSON.parse(stdout) as Report
  const found = tenants[0]?.checks.find((one) => one.check === check)
  return `${found?.status} ${found?.reason}`
}

/** A tenant with one secret that expires after so many seconds, read once; no engine runs. */
async function expiringIn(seconds: number): Promise<Cli & { readonly clientId: string }> {
  const world = await cli({ simulator: { sizes: { users: 3, documents: 3 } } })
  const [first, ...others] = [...world.simulator.primary['api-clients'].all()].reverse()
  if (first === undefined) throw new Error('The simulator has no client')
  for (const { clientId } of others) {
    world.simulator.primary['api-clients'].update(clientId, { secretExpirationDate: '2027-09-01T00:00:00Z' })
  }
  const expires = iso(startTime + seconds * secondMs)
  world.simulator.primary['api-clients'].update(first.clientId, { secretExpirationDate: expires })
  await world.run('sync', '--full')
  return { ...world, clientId: first.clientId }
}

it('shows no pass in reports of that time either, also after the secret was replaced unnoticed', async () => {
  const world = await expiringIn(8)
  world.simulator.primary['api-clients'].update(world.clientId, { secretExpirationDate: '2027-09-01T00:00:00Z' })
  world.pass(5 * minuteMs)
  await world.run('sync', '--full')
  world.pass(1)
  expect(await statusOf(world)).toBe('pass null')
  expect(await statusOf(world, startTime + 7 * secondMs)).toBe('pass null')
  expect(await statusOf(world, startTime + 9 * secondMs)).toBe('unknown stale')
  expect(await statusOf(world, startTime + 4 * minuteMs)).toBe('unknown stale')
  expect(await statusOf(world, startTime + 5 * minuteMs)).toBe('pass null')
})

it('shows a fail as stale once another secret has expired, although the first is waived', async () => {
  const world = await expiringIn(5 * 60)
  const { clientId = '' } = world.simulator.primary['api-clients'].add({ secretExpirationDate: '2026-02-01T00:00:00Z' })
  const waiver = `{ id: w, check: ${check}, entity: ${clientId}, tenant: acme, owner: ann, reason: Its integration ends next week, expires: 2026-06-01 }`
  world.write('tenantwatch.yaml', `${world.read('tenantwatch.yaml')}waivers: [${waiver}]\n`)
  await world.run('sync', '--full')
  expect(await statusOf(world)).toBe('fail null')
  expect((await world.run('findings', '--check', check, '--fail-on', 'critical')).code).toBe(0)
  world.pass(5 * minuteMs)
  expect(await statusOf(world)).toBe('unknown stale')
  expect((await world.run('findings', '--check', check, '--fail-on', 'critical')).code).toBe(3)
  await world.run('sync')
  expect(await statusOf(world)).toBe('fail null')
  expect((await world.run('findings', '--check', check, '--fail-on', 'critical')).code).toBe(1)
  world.pass(1)
  expect(await statusOf(world, startTime + 5 * minuteMs - 1)).toBe('fail null')
})
