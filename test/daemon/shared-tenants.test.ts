import { expect, it } from 'vitest'
import { createEvaluator } from '../../src/daemon/evaluate.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { type Log, silentLog } from '../../src/model/log.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import type { FirstRecord } from '../../src/store/port.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { aDay, type Cli, cli, type TenantInFile } from '../commands/support/cli.ts'
import { tenantSettings } from '../evaluate/support/tenant-settings.ts'
import { testMirror } from '../support/mirror.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const sizes = { simulator: { sizes: { users: 30, documents: 10 }, secondSizes: { users: 10, documents: 5 } } }

const shared = (key: string, ...tenants: readonly string[]): readonly FirstRecord[] =>
  tenants.map((tenant) => ({ tenant, resource: 'documents', key }))

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
  world.simulator.primary.removeUser(Number(removed?.entity.id))
  world.pass(aDay)
  expect((await world.run('sync', '--full')).stdout).toMatch(/^acme +users +full +ok +\+0 ~\d+ -1 /m)
  const during = await findingsOf(world, 'acme')
  expect(during.filter(({ state }) => state === 'resolved')).toEqual([])
  expect(during.map(({ fingerprint }) => fingerprint)).toContain(removed?.fingerprint)

  const report = JSON.parse((await world.run('report', '--format', 'json')).stdout) as {
    readonly tenants: readonly {
      readonly resources: readonly { readonly state: string }[]
      readonly checks: readonly { readonly standing: string }[]
    }[]
  }
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

it('logs once that a tenant begins to be shared, and once that it ends', async () => {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://x', now)
  let records = shared('1', 'acme', 'globex')
  const store = { ...mirror, firstRecords: async () => records }
  const lines: unknown[] = []
  const note = (fields: object, message: string) => void lines.push({ ...fields, message })
  const log: Log = { ...silentLog(), info: note, warn: note, child: () => log }
  const metrics = { findingsOpened() {}, findingsResolved() {} } as unknown as Metrics
  const clock = { now: () => now, monotonic: () => 0, sleep: async () => {} }
  const evaluator = createEvaluator({ stores: onlyStore(store), metrics, clock, log })
  const evaluate = () => evaluator.evaluate({ id: tenant.id, settings: tenantSettings() }, { checks: [] })
  await evaluate()
  expect(lines).toEqual([])
  const tenants = ['acme', 'globex'].map((name) => ({ ...tenantSettings(), name }))
  evaluator.configure({ tenants, waivers: [], ownChecks: { checks: [] }, evaluate: {} } as never)
  for (let times = 0; times < 2; times++) {
    await evaluate()
    evaluator.forgetShared()
  }
  const begins =
    'Two configured tenants show the data of one tenant: correct the token of one; their checks are unknown until then'
  expect(lines).toEqual([{ tenant: 'acme', sharedWith: 'globex', message: begins }])
  records = [...shared('1', 'acme'), ...shared('2', 'globex')]
  for (let times = 0; times < 2; times++) {
    evaluator.forgetShared()
    await evaluate()
  }
  const ends = 'No other configured tenant has the data of this one any more'
  expect(lines.slice(1)).toEqual([{ tenant: 'acme', message: ends }])
})
