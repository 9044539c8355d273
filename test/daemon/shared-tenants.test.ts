import { expect, it } from 'vitest'
import type { FindingView } from '../../src/model/finding.ts'
import type { Report } from '../../src/report/build-report.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { aDay, type Cli, cli, type TenantInFile } from '../commands/support/cli.ts'

const sizes = { simulator: { sizes: { users: 30, documents: 10 }, secondSizes: { users: 10, documents: 5 } } }

/** How many of the stored results have each status and reason. */
async function stored({ store }: Cli, tenant: string): Promise<ReadonlyMap<string, number>> {
  await using mirror = openMirror(store, 'beside')
  const row = (await mirror.tenants()).find(({ name }) => name === tenant)
  const states = await mirror.checkStates(row?.id ?? 0)
  const counts = new Map<string, number>()
  for (const { status, reason } of states) {
    if (status === 'not_applicable') continue
    const shown = `${status} ${reason}`
    counts.set(shown, (counts.get(shown) ?? 0) + 1)
  }
  return counts
}

async function findingsOf({ run }: Cli, tenant: string): Promise<readonly FindingView[]> {
  const { stdout } = await run('findings', '--all', '--tenant', tenant, '--format', 'json')
  return JSON.parse(stdout) as readonly FindingView[]
}

/** Acme was synced alone, then globex was configured with a token of the same tenant. */
async function begun(tenants: readonly TenantInFile[] = [{ name: 'acme' }, { name: 'globex' }]) {
  const world = await cli({ ...sizes, tenants })
  const both = world.read('tenantwatch.yaml')
  const alone = both.replace(/ {2}- name: globex[\s\S]*?(?=api:)/, '')
  world.write('tenantwatch.yaml', alone)
  expect(await world.run('sync')).toMatchObject({ code: 0 })
  return { world, both, alone }
}

it('evaluates no check of two tenants that are one, and resolves none of their findings, until one has its own token', async () => {
  const { world, both } = await begun()
  expect([...(await stored(world, 'acme')).keys()].toSorted()).toEqual(['fail null', 'pass null'])
  const before = await findingsOf(world, 'acme')
  const open = before.filter(({ state }) => state === 'open')
  expect(open.length).toBeGreaterThan(0)

  world.write('tenantwatch.yaml', both)
  world.pass(aDay)
  const twice = await world.run('sync', '--full', '--fail-on', 'critical')
  expect(twice.code).toBe(3)
  expect(twice.stdout).toMatch(/^acme: checks 0 pass, 0 fail, \d+ unknown/m)
  expect(twice.stdout).toMatch(/^globex: checks 0 pass, 0 fail, \d+ unknown/m)
  for (const tenant of ['acme', 'globex'])
    expect([...(await stored(world, tenant)).keys()], tenant).toEqual(['unknown tenant_changed'])

  const [removed] = open.filter(({ entity }) => entity.type === 'user')
  world.simulator.primary.users.remove(Number(removed?.entity.id))
  world.pass(aDay)
  expect((await world.run('sync', '--full')).stdout).toMatch(/^acme +users +full +ok +\+0 ~\d+ -1 /m)
  const during = await findingsOf(world, 'acme')
  expect(during.filter(({ state }) => state === 'resolved')).toEqual([])
  expect(during.map(({ fingerprint }) => fingerprint)).toContain(removed?.fingerprint)

  const report = JSON.parse((await world.run('report', '--format', 'json')).stdout) as Report
  const standings = report.tenants.flatMap(({ checks }) => checks.map(({ standing }) => standing))
  expect(new Set(standings)).toEqual(new Set(['unknown', 'not_applicable']))
  const states = report.tenants.flatMap(({ resources }) => resources.map(({ state }) => state))
  expect(states.filter((state) => state === 'fresh')).toEqual([])

  world.env['GLOBEX_TOKEN'] = world.simulator.tokens.secondReader
  world.pass(aDay)
  expect((await world.run('sync', '--full')).code).toBe(3)
  const [{ id, count }] = JSON.parse((await world.run('accept', '--format', 'json')).stdout)
  await world.run('accept', id, '--count', String(count), '--reason', 'The token was that of acme')
  for (let round = 0; round < 3; round++) {
    world.pass(aDay)
    await world.run('sync', '--full')
  }
  for (const tenant of ['acme', 'globex'])
    expect([...(await stored(world, tenant)).keys()].toSorted(), tenant).toEqual(['fail null', 'pass null'])
  const after = (await findingsOf(world, 'acme')).find(({ fingerprint }) => fingerprint === removed?.fingerprint)
  expect(after).toMatchObject({ state: 'resolved', resolution: 'entity_removed' })
})
