import { expect, it } from 'vitest'
import { checks } from '../../../src/checks/index.ts'
import type { Waiver } from '../../../src/config/settings.ts'
import { termsOf } from '../../../src/evaluate/waivers/waivers.ts'
import { dayMs, hourMs } from '../../../src/model/durations.ts'
import { resourceState } from '../../../src/model/posture-state.ts'
import { resourceNames } from '../../../src/model/resource-names.ts'
import { offByDefault } from '../../support/off-by-default.ts'
import { onPostgres } from '../../support/test-database.ts'
import { type SqlWorld, sqlWorld } from './support/sql-world.ts'

/** The views and the program say the same of each resource, each check and each finding. */
async function expectSame(world: SqlWorld): Promise<void> {
  const { sql } = world
  const { resources, holds, checks } = await world.posture()
  const states = Object.fromEntries(
    resources.map((view) => [view.resource, view.enabled ? resourceState(view, holds) : 'off']),
  )
  const sync = sql('select resource, state from tenantwatch_sync order by resource')
  expect(Object.fromEntries(sync.map(({ resource, state }) => [resource, state]))).toEqual(states)
  const found = sql('select "check", status, reason, enabled from tenantwatch_checks')
  expect(found.map(({ check, status, reason, enabled }) => [check, status, reason, enabled === 1])).toEqual(
    checks.map(({ check, status, reason, enabled }) => [check, status, reason, enabled]),
  )
  const marks = sql(
    'select fingerprint, state, case when waived = true then waiver end as waiver from tenantwatch_findings',
  )
  const findings = (await world.findings()).map(({ fingerprint, state, waiver }) => {
    return { fingerprint, state, waiver: state === 'waived' ? (waiver?.id ?? null) : null }
  })
  const order = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted()
  expect(order(marks)).toEqual(order(findings))
}

const ago = (ms: number) => String(Date.now() - ms)

const setBack = (latest: string) => `insert into events (tenant_id, at, kind, subject, data, digest, hash)
  values (0, 1, 'clock.set_back', '', '{"latest":${latest},"lastRun":0}', '', '')`

/** What may happen to the data; each is undone by the one after it only where it says so. */
const events: readonly (readonly [what: string, change: string])[] = [
  [
    'records in quarantine',
    `insert into records (tenant_id, resource, key, raw, problem, problem_since, first_seen_at, read_at) values (1, 'users', '7', '{}', 'p', 1, 1, 1)`,
  ],
  [
    'a missing record',
    `update records set missing_since = 1 where rid = (select min(rid) from records where resource = 'roles')`,
  ],
  [
    'a failed full sync',
    `update sync_states set full_reason = 'timeout', full_attempt_at = full_success_at + 1 where resource = 'documents'`,
  ],
  [
    'a full sync that shrank',
    `update sync_states set full_reason = 'shrink_held', full_attempt_at = full_success_at + 1 where resource = 'documents'`,
  ],
  [
    'a hold of one list',
    `insert into holds (id, tenant_id, resource, reason, count, message, cause, raised_at) values ('h1', 1, 'roles', 'suspect_empty', 4, 'm', '{}', 5)`,
  ],
  [
    'a server whose clock is behind',
    `update sync_states set server_time = server_time - 400000 where resource = 'api-clients'`,
  ],
  [
    'a server whose clock is unknown',
    `update sync_states set server_time = null, server_time_at = null, complete_server_time = null where resource = 'documents'`,
  ],
  [
    'a resource that was never read',
    `update sync_states set complete_started_at = null where resource = 'permissions'`,
  ],
  [
    'a first run that has not ended',
    `update sync_states set complete_started_at = full_success_at, incremental_attempt_at = null, full_attempt_at = null where resource = 'permissions'`,
  ],
  ['stale data', `update sync_states set complete_started_at = ${ago(9 * dayMs)} where resource = 'users'`],
  [
    'data of the future',
    `update sync_states set complete_started_at = complete_started_at + 400000 where resource = 'authentication-settings'`,
  ],
  ['a refusal', `update sync_states set denied = 'missing_permission' where resource = 'api-clients'`],
  ['records of a former tenant', `update tenants set former = '["api-clients","documents"]'`],
  ['a change of tenant', `update tenants set change_accepted = '["documents"]'`],
  ['a refused token', `update sync_states set token_refused_at = ${ago(-hourMs)} where resource = 'roles'`],
  ['a clock that was set back', setBack(ago(-hourMs))],
  [
    'another tenant',
    `insert into holds (id, tenant_id, resource, reason, count, message, cause, raised_at) values ('h2', 1, 'all', 'tenant_changed', 1, 'm', '{}', 6)`,
  ],
]

it.runIf(onPostgres)('states the quality of the data as the program does', async () => {
  const world = await sqlWorld()
  await expectSame(world)
  expect(new Set((await world.posture()).checks.map(({ status }) => status))).toContain('pass')
  for (const [what, change] of events) {
    world.sql(change)
    await expectSame(world).catch((error: unknown) => {
      throw new Error(`After ${what}`, { cause: error })
    })
  }
  expect(world.sql('select state, complete, reason from tenantwatch_sync')).toEqual(
    resourceNames.map(() => ({ state: 'on_hold', complete: 0, reason: 'tenant_changed' })),
  )
})

it.runIf(onPostgres)('ages the results of checks', async () => {
  const world = await sqlWorld()
  const passing = () => world.sql(`select "check" from tenantwatch_checks where status = 'pass'`).length
  expect(passing()).toBeGreaterThan(0)
  world.sql(
    `update check_states set changes_at = ${ago(1000)} where "check" = (select min("check") from check_states where status = 'pass')`,
  )
  await expectSame(world)
  world.sql(
    `update check_states set rule = 'another' where "check" = (select max("check") from check_states where status = 'fail')`,
  )
  await expectSame(world)
  world.sql(`update check_states set evaluated_at = ${ago(hourMs)}`)
  await expectSame(world)
  expect(passing()).toBe(0)
})

it.runIf(onPostgres)('knows what the configuration leaves out', async () => {
  const world = await sqlWorld()
  const { settings } = world.test
  const off = { ...settings.resources, roles: { ...settings.resources.roles, enabled: false } }
  const ruled = { 'user-mfa-enrolled': { enabled: false, severity: null, options: {} } }
  await world.configure({ tenants: [{ ...settings, resources: off, checks: ruled }] })
  const states = () => world.sql(`select distinct state from tenantwatch_sync order by state`).map(({ state }) => state)
  expect(states()).toEqual(['fresh', 'off'])
  const statusOf = (check: string) =>
    world.sql(`select enabled, status from tenantwatch_checks where "check" = '${check}'`)[0]
  expect(statusOf('user-mfa-enrolled')).toEqual({ enabled: 0, status: 'not_applicable' })
  expect(statusOf('user-role-active')).toEqual({ enabled: 1, status: 'not_applicable' })
  await world.configure({ tenants: [{ ...settings, name: 'other' }] })
  expect(world.sql('select distinct tenant, state from tenantwatch_sync order by tenant')).toEqual([
    { tenant: 'acme', state: 'not_configured' },
    { tenant: 'other', state: 'never' },
  ])
  expect(world.sql('select "check", status, reason from tenantwatch_checks where enabled order by "check"')).toEqual(
    checks.map(({ id }) =>
      offByDefault.includes(id)
        ? { check: id, status: 'not_applicable', reason: null }
        : { check: id, status: 'unknown', reason: 'never' },
    ),
  )
})

it.runIf(onPostgres)(
  'applies the waivers of the configuration, until they lapse, expire or are taken out',
  async () => {
    const world = await sqlWorld()
    const [first, second] = (await world.findings()).filter(({ check }) => check === 'user-mfa-enrolled')
    const given = { check: 'user-mfa-enrolled', tenant: 'acme', reason: 'r', owner: 'security' }
    const one: Waiver = { ...given, id: 'one', entity: first?.entity.id ?? '', expiresMs: Date.now() + dayMs }
    const all: Waiver = { ...given, id: 'all', entity: '*', expiresMs: Date.now() + hourMs }
    const waived = () => world.sql('select waiver from tenantwatch_findings where waived').map(({ waiver }) => waiver)
    world.waivers = [one]
    await world.configure()
    await world.evaluate()
    await expectSame(world)
    expect(waived()).toEqual(['one'])
    world.waivers = [one, all]
    await world.configure()
    await world.evaluate()
    await expectSame(world)
    expect(waived().toSorted().slice(-2)).toEqual(['all', 'one'])
    const subject = second?.fingerprint ?? ''
    world.sql('update waived_findings set lapsed_at = 1 where fingerprint = ?', subject)
    const lapse = { waiver: 'all', check: all.check, terms: termsOf(all), entity: '', accepted: '{}', changed: '{}' }
    await world.test.mirror.appendEvents(world.test.engine.tenantId, [
      { kind: 'waiver.lapsed', subject, at: Date.now(), data: lapse },
    ])
    await expectSame(world)
    world.waivers = [one, { ...all, expiresMs: Date.now() - 1000 }]
    await world.configure()
    await expectSame(world)
    expect(waived()).toEqual(['one'])
    world.sql(setBack(ago(-2 * dayMs)))
    await expectSame(world)
    expect(waived()).toEqual([])
    world.waivers = []
    await world.configure()
    await expectSame(world)
  },
)
