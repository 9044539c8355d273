import { expect, it } from 'vitest'
import type { FindingView as Finding } from '../../src/model/finding.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { takeEngineLock } from '../../src/store/db/sqlite/engine-lock.ts'
import { seenChanges } from '../support/events.ts'
import { overRecords } from '../support/record-tables.ts'
import { withDatabase } from '../support/sqlite.ts'
import { type Cli, type CliOptions, cli, startTime } from './support/cli.ts'

const small = { sizes: { users: 30, documents: 20 } }

/** A world whose tenants keep their own time, and whose local clock can be wrong. */
async function timed(options: CliOptions = {}) {
  let server = startTime
  const world = await cli({ tenants: [{ name: 'acme' }], ...options, simulator: { ...small, clock: () => server } })
  return {
    ...world,
    /** Time passes for everybody. */
    pass(ms: number) {
      server += ms
      world.pass(ms)
    },
    setClock: (ms: number) => world.pass(ms),
    goDark() {
      const fault = world.simulator.faults.add({ effect: { kind: 'status', status: 503 } })
      return () => world.simulator.faults.remove(fault.id)
    },
    async findings(): Promise<readonly Finding[]> {
      return JSON.parse((await world.run('findings', '--all', '--format', 'json')).stdout) as Finding[]
    },
    rows: (sql: string) => query(world, sql),
  }
}

const query = ({ store }: Cli, sql: string) => withDatabase(store, (raw) => raw.prepare(overRecords(sql)).all())

const names = 'select email, removed_at is not null as removed from users order by user_id'

/** Two full syncs, between which users leave and a setting changes and comes back: history, tombstones, resolved findings. */
async function worldWithHistory(options: CliOptions = {}) {
  const world = await timed(options)
  const { primary } = world.simulator
  await world.run('sync')
  world.pass(hourMs)
  primary['authentication-settings'].update(0, { mfaEnabled: false })
  primary.users.removeWhere(0.05)
  await world.run('sync', '--full')
  world.pass(hourMs)
  primary['authentication-settings'].update(0, { mfaEnabled: true })
  await world.run('sync', '--full')
  world.pass(minuteMs)
  return world
}

it('erases nothing of a dark tenant by a local clock that is 500 days ahead, and calls false findings clock_corrected', async () => {
  const world = await worldWithHistory()
  const before = await world.findings()
  const kept = () => [seenChanges(world.rows), world.rows(names)]
  const history = kept()
  expect(before.some(({ state }) => state === 'resolved')).toBe(true)
  const light = world.goDark()
  world.setClock(500 * dayMs)
  await world.run('sync')
  const ahead = await world.findings()
  expect(ahead.length).toBeGreaterThan(before.length)
  expect(kept()).toEqual(history)
  world.setClock(-500 * dayMs)
  light()
  await world.run('sync', '--full')
  const after = await world.findings()
  const known = new Map(before.map((one) => [one.fingerprint, one]))
  const falseOnes = after.filter(({ fingerprint }) => !known.has(fingerprint))
  expect(falseOnes.length).toBeGreaterThan(0)
  for (const one of falseOnes) expect(one).toMatchObject({ state: 'resolved', resolution: 'clock_corrected' })
  for (const one of before) {
    if (one.state !== 'resolved') continue
    expect(after).toContainEqual(one)
  }
  expect(kept()).toEqual(history)
})

it('names erasure that is overdue in the doctor', async () => {
  const world = await worldWithHistory({ more: 'history: { retentionDays: 30 }' })
  expect((await world.run('doctor')).stdout).not.toContain('erasure')
  world.pass(33 * dayMs)
  expect((await world.run('doctor')).stdout).toContain('overdue for acme')
})

it('purges a tenant that left the configuration, and nothing else', async () => {
  const world = await worldWithHistory({ tenants: [{ name: 'acme' }, { name: 'beta' }] })
  expect(await world.run('purge', 'beta')).toMatchObject({ code: 2 })
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml').replace(/ {2}- name: beta[\s\S]*?(?=api:)/, ''))
  const ofAcme = () =>
    ['records', 'events', 'findings', 'runs'].map((table) => world.rows(`select * from ${table} where tenant_id = 1`))
  const kept = ofAcme()
  const lock = takeEngineLock(world.store)
  expect(await world.run('purge', 'gamma')).toMatchObject({ code: 2, stderr: expect.stringContaining('acme, beta') })
  expect(await world.run('purge', 'beta')).toMatchObject({ code: 3 })
  lock?.[Symbol.dispose]()
  expect(await world.run('purge', 'beta')).toMatchObject({ code: 0, stdout: 'Erased all data of beta\n' })
  expect(ofAcme()).toEqual(kept)
  const tables = world.rows(
    "select t.name from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and c.name = 'tenant_id'",
  ) as { name: string }[]
  expect(tables.length).toBeGreaterThan(8)
  // 0 is the chain of configurations, which belong to no tenant.
  for (const { name } of tables)
    expect(world.rows(`select 1 from "${name}" where tenant_id not in (0, 1)`), name).toEqual([])
  expect(world.rows('select name from tenants')).toEqual([{ name: 'acme' }])
  expect(
    world.rows(
      `select 1 from events where kind like 'finding.%' and subject not in (select fingerprint from findings)`,
    ),
  ).toEqual([])
  expect(await world.run('sync', '--full')).toMatchObject({ code: 0 })
})

it.each(['by the clock of the tenant', 'by the newest time in the mirror'])(
  'ends waivers in reports as in lists: %s',
  async (by) => {
    const terms = 'owner: ops, reason: Accepted until the roll-out has ended, expires: 2026-03-02'
    const waivers = `waivers: [{ id: W-1, check: user-mfa-enrolled, entity: "*", tenant: acme, ${terms} }]`
    const world = await timed({ more: `resources: { api-clients: { enabled: false } }\n${waivers}` })
    await world.run('sync')
    world.pass(3 * dayMs)
    if (by === 'by the newest time in the mirror') {
      await world.run('sync', '--full')
      world.goDark()
    }
    world.setClock(minuteMs - 3 * dayMs)
    await world.run('sync', '--full')
    const ofCheck = (all: readonly Finding[]) =>
      all.filter(({ check }) => check === 'user-mfa-enrolled').map(({ state }) => state)
    const listed = ofCheck(await world.findings())
    expect(listed).toContain('open')
    const [report] = JSON.parse((await world.run('report', '--format', 'json')).stdout).tenants
    expect([ofCheck(report.findings), report.waivers[0].state]).toEqual([listed, 'expired'])
  },
)
