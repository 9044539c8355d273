import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Waiver } from '../../src/config/settings.ts'
import { unmirroredId } from '../../src/evaluate/data-quality.ts'
import { readPosture } from '../../src/evaluate/read-posture.ts'
import type { CheckView, TenantPosture } from '../../src/model/posture.ts'
import { shownStatus } from '../../src/model/posture-state.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { client, now, user } from '../checks/support/facts.ts'
import { offByDefault } from '../support/off-by-default.ts'
import { evaluate, never, resync, soundWorld, type TestWorld } from './support/evaluating.ts'
import { waiver } from './support/sqlite-world.ts'
import { type SettingsChanges, tenantSettings } from './support/tenant-settings.ts'

interface Reading {
  readonly at?: number
  readonly changes?: SettingsChanges
  readonly waivers?: readonly Waiver[]
}

function read(world: TestWorld, { at = now, changes = {}, waivers = [] }: Reading = {}) {
  const tenant = { id: world.tenantId, settings: tenantSettings(changes) }
  const how = { now: at, evaluateIntervalMs: minuteMs }
  return readPosture({ store: world.store, tenant, checks, waivers, ...how })
}

function viewOf(posture: TenantPosture, id: string): CheckView {
  const view = posture.checks.find(({ check }) => check === id)
  if (view === undefined) throw new Error(`The posture lacks ${id}`)
  return view
}

const statusOf = (posture: TenantPosture, id: string) => {
  const { status, reason } = viewOf(posture, id)
  return `${status} ${reason}`
}

it('shows every configured check as unknown before the first evaluation', async () => {
  const posture = await read(await soundWorld())
  expect(posture.checks.map(({ check, status, reason }) => [check, status, reason])).toEqual(
    checks.map(({ id }) => (offByDefault.includes(id) ? [id, 'not_applicable', null] : [id, 'unknown', 'never'])),
  )
  const nothing = { entities: null, evaluatedAt: null, since: null, open: {} }
  expect(viewOf(posture, 'auth-sso-enforced')).toMatchObject(nothing)
})

it('shows a tenant that is configured but not in the mirror yet as never read', async () => {
  const world = await soundWorld()
  await evaluate(world)
  const posture = await read({ ...world, tenantId: unmirroredId })
  expect(new Set(posture.resources.map(({ dataAsOf, live }) => `${dataAsOf} ${live}`))).toEqual(new Set(['null 0']))
  expect(statusOf(posture, 'auth-sso-enforced')).toBe('unknown never')
})

it('states the assumption of a check until its rule is configured', async () => {
  const world = await soundWorld()
  const assumptionWith = async (options: object) => {
    const changes = { checks: { 'user-mfa-enrolled': { options: { ...options } } } }
    return viewOf(await read(world, { changes }), 'user-mfa-enrolled').assumption
  }
  expect(await assumptionWith({})).toEqual(expect.any(String))
  expect(await assumptionWith({ enrolledWhen: 'mfaStatus' })).toBeUndefined()
})

it('does not show an outdated check result, even with fresh data', async () => {
  const world = await soundWorld()
  await evaluate(world)
  resync(world, now + 20 * minuteMs)
  expect(statusOf(await read(world, { at: now + 15 * minuteMs }), 'auth-sso-enforced')).toBe('pass null')
  expect(statusOf(await read(world, { at: now + 15 * minuteMs + 1 }), 'auth-sso-enforced')).toBe('unknown stale')
})

/** An operator has accepted another tenant, of which the API clients were not read yet. */
const acceptChange = (world: TestWorld) => world.store.noteTenant(world.tenantId, { changeAccepted: ['api-clients'] })

it.each<[string, (world: TestWorld) => unknown, string]>([
  ['a hold of the tenant', (world) => world.hold('all', 'tenant_changed'), 'unknown tenant_changed'],
  ['a hold for a missing own client', (world) => world.hold('api-clients', 'tenant_changed'), 'unknown tenant_changed'],
  ['an accepted change that no full sync has followed', acceptChange, 'unknown tenant_changed'],
  ['a shrink hold', (world) => world.hold('api-clients', 'shrink_held'), 'unknown shrink_held'],
  ['an empty list nobody accepted', (world) => world.hold('api-clients', 'suspect_empty'), 'unknown suspect_empty'],
  ['a shrink hold of another resource', (world) => world.hold('users', 'shrink_held'), 'pass null'],
  ['a record in quarantine', (world) => world.quarantine('api-clients'), 'unknown quarantined'],
  [
    'a missing record',
    (world) => world.query("update records set missing_since = 1 where resource = 'api-clients' returning rid"),
    'unknown missing_records',
  ],
  [
    'a local clock that was set back',
    async (world) => {
      await world.store.noteTenantState(world.tenantId, '{}', now + dayMs)
      await world.store.noteTime(now)
    },
    'unknown stale',
  ],
  ['data older than its limit', (world) => resync(world, now - 30 * dayMs, ['api-clients']), 'unknown stale'],
  ['skewed clocks', (world) => world.skew(300_001), 'unknown clock_skew'],
  ['a refused full sync', (world) => failFullSync(world, 'unauthorized'), 'unknown unauthorized'],
  ['a missing permission', (world) => failFullSync(world, 'missing_permission'), 'unknown missing_permission'],
  ['a full sync that failed otherwise', (world) => failFullSync(world, 'server_error'), 'pass null'],
  ['a full sync that came back empty', (world) => failFullSync(world, 'suspect_empty'), 'unknown suspect_empty'],
])('applies %s to a stored pass', async (_case, befall, expected) => {
  const world = await soundWorld()
  await world.put('api-clients', client())
  await evaluate(world)
  await befall(world)
  expect(statusOf(await read(world, { at: now + minuteMs }), 'api-client-secret-not-expired')).toBe(expected)
})

it('reports a refusal instead of a missing first sync', async () => {
  const world = await soundWorld()
  world.set('users', { ...never, denied: 'unauthorized' })
  expect(statusOf(await read(world), 'user-mfa-enrolled')).toBe('unknown unauthorized')
})

it('knows that access is refused also while a hold of the tenant keeps every check unknown', async () => {
  const world = await soundWorld()
  failFullSync(world, 'missing_permission')
  await world.hold('all', 'tenant_changed')
  const posture = await read(world)
  expect(statusOf(posture, 'api-client-secret-not-expired')).toBe('unknown tenant_changed')
  const refused = posture.resources.filter(({ accessRefused }) => accessRefused)
  expect(refused.map(({ resource }) => resource)).toEqual(['api-clients'])
})

it('knows from one refusal of the token that it is refused for resources that are not due yet, until one is read', async () => {
  const world = await soundWorld()
  await evaluate(world)
  const message = 'The token is refused'
  world.set('users', { denied: 'unauthorized', full_attempt_at: now + 1, token_refused_at: now + 1, message })
  const after = { at: now + 2 }
  const messages = async () => (await read(world, after)).resources.map(({ message }) => message)
  expect(new Set(await messages())).toEqual(new Set([message]))
  expect(statusOf(await read(world, after), 'auth-sso-enforced')).toBe('unknown unauthorized')
  world.set('authentication-settings', { full_attempt_at: now + 2, full_success_at: now + 2 })
  expect(statusOf(await read(world, after), 'auth-sso-enforced')).toBe('pass null')
  expect(statusOf(await read(world, after), 'user-mfa-enrolled')).toBe('unknown unauthorized')
  // Attempts that end otherwise refuse nothing, whether the refusal is over or it may concern these users alone.
  world.set('users', { full_attempt_at: now + 3 })
  expect(statusOf(await read(world, after), 'auth-sso-enforced')).toBe('pass null')
})

it('does not show a check result from when an input was switched off', async () => {
  const world = await soundWorld()
  const changes = { resources: { 'authentication-settings': { enabled: false } } }
  await evaluate(world, { changes })
  expect(statusOf(await read(world, { changes }), 'auth-sso-enforced')).toBe('not_applicable null')
  expect(statusOf(await read(world), 'auth-sso-enforced')).toBe('unknown stale')
  await evaluate(world)
  expect(statusOf(await read(world), 'auth-sso-enforced')).toBe('pass null')
})

it('shows a disabled check as not applicable and a switched-off input likewise, without its hold', async () => {
  const world = await soundWorld()
  const changes = {
    checks: { 'auth-sso-enforced': { enabled: false, severity: 'info' as const } },
    resources: { users: { enabled: false } },
  }
  await world.hold('users', 'shrink_held')
  const posture = await read(world, { changes })
  expect(posture.holds).toEqual([])
  const disabled = { enabled: false, status: 'not_applicable', severities: ['info'] }
  expect(viewOf(posture, 'auth-sso-enforced')).toMatchObject(disabled)
  expect(viewOf(posture, 'user-mfa-enrolled')).toMatchObject({ enabled: true, status: 'not_applicable', reason: null })
})

it('counts open findings by severity, waived ones apart, and fails for waived ones too', async () => {
  const world = await soundWorld()
  await world.put('users', user({ mfaStatus: false }))
  await world.put('users', user({ userId: 2, mfaStatus: false }))
  await world.put('users', user({ userId: 3, mfaStatus: false, state: 'Invited' }))
  await evaluate(world)
  const counts = async (...waivers: Waiver[]) => {
    const { open, waived, status } = viewOf(await read(world, { waivers }), 'user-mfa-enrolled')
    return { open, waived, status }
  }
  expect(await counts()).toEqual({ open: { high: 2, low: 1 }, waived: {}, status: 'fail' })
  const two = await counts(waiver(), waiver({ id: 'w2' }), waiver({ id: 'w3', entity: '3' }))
  expect(two).toEqual({ open: { high: 1 }, waived: { high: 1, low: 1 }, status: 'fail' })
  expect(await counts(waiver({ entity: '*' }))).toEqual({ open: {}, waived: { high: 2, low: 1 }, status: 'fail' })
  for (const other of [{ tenant: 'other' }, { check: 'user-role-active' }, { expiresMs: now - 1 }, { entity: '9' }]) {
    expect(await counts(waiver(other))).toMatchObject({ waived: {} })
  }
  expect((await counts(waiver({ expiresMs: now }))).waived).toEqual({ high: 1 })
})

it('says why more than the waived entities may fail while a record is in quarantine', async () => {
  const world = await soundWorld()
  await world.put('users', user({ mfaStatus: false }))
  await evaluate(world)
  const [check, all] = ['user-mfa-enrolled', { waivers: [waiver({ entity: '*' })] }]
  const shown = async () => {
    const view = viewOf(await read(world, all), check)
    return [shownStatus(view), view.partial]
  }
  expect(await shown()).toEqual(['waived', undefined])
  await world.quarantine('users')
  expect(await shown()).toEqual(['unknown', 'quarantined'])
})

it('shows each resource with its age, limits and last failure', async () => {
  const world = await soundWorld()
  await world.put('users', user())
  world.set('users', { incremental_attempt_at: now, incremental_reason: 'timeout', message: 'It took too long' })
  const { resources } = await read(world, { at: now + minuteMs })
  expect(resources.find(({ resource }) => resource === 'users')).toEqual({
    resource: 'users',
    enabled: true,
    live: 1,
    quarantined: 0,
    missing: 0,
    dataAsOf: now,
    firstCompleteAt: now,
    freshnessLimitMs: 3 * hourMs,
    fresh: true,
    message: 'It took too long',
    modes: [
      {
        mode: 'incremental',
        up: false,
        lastAttemptAt: now,
        lastSuccessAt: now,
        freshnessLimitMs: 15 * minuteMs,
        reason: 'timeout',
      },
      { mode: 'full', up: true, lastAttemptAt: now, lastSuccessAt: now, freshnessLimitMs: 3 * hourMs, reason: null },
    ],
  })
  expect(resources.find(({ resource }) => resource === 'roles')?.modes.map(({ mode }) => mode)).toEqual(['full'])
})

it.each<[string, Record<string, string | number | null>, boolean]>([
  ['a full sync that a refused cursor needs fails', { cursor: 'c', full_sync_owed: 1 }, false],
  ['incremental syncs pause until the next full sync, which fails', { cursor: 'c', incremental_paused: 1 }, false],
  ['there is no cursor, and a full sync fails', { cursor: null }, false],
  ['a full sync fails beside incremental ones that work', { cursor: 'c' }, true],
])('reports whether incremental syncs work while %s', async (_case, columns, up) => {
  const world = await soundWorld()
  world.set('users', { full_reason: 'server_error', ...columns })
  const { resources } = await read(world)
  const [incremental] = resources.find(({ resource }) => resource === 'users')?.modes ?? []
  expect(incremental).toMatchObject({ mode: 'incremental', up, reason: up ? null : 'server_error' })
})

it('calls nothing fresh before the first run of a resource has ended, whose list is complete before its details', async () => {
  const world = await soundWorld()
  world.set('users', { ...never, complete_started_at: now })
  const posture = await read(world)
  const users = posture.resources.find(({ resource }) => resource === 'users')
  expect(users).toMatchObject({ dataAsOf: null, fresh: false })
  expect(statusOf(posture, 'user-mfa-enrolled')).toBe('unknown never')
})

type Failure = 'unauthorized' | 'missing_permission' | 'server_error' | 'suspect_empty'

function failFullSync(world: TestWorld, reason: Failure) {
  const denied = reason === 'unauthorized' || reason === 'missing_permission' ? reason : null
  world.set('api-clients', { full_attempt_at: now + 1, full_reason: reason, denied })
}

it('says of a run that a hold failed whether the hold has ended since, and what an operator accepted', async () => {
  const world = await soundWorld()
  const failed = '9 users are gone'
  const view = async () => {
    const { resources, holds } = await read(world)
    return { isOver: resources.find(({ resource }) => resource === 'users')?.message !== failed, holds }
  }
  world.set('users', { full_attempt_at: now + 1, full_reason: 'shrink_held', message: failed })
  expect((await view()).isOver).toBe(true)
  const { id: holdId } = await world.hold('users', 'shrink_held')
  expect(await view()).toMatchObject({ isOver: false, holds: [{ id: holdId, advice: expect.any(String) }] })
  await world.store.decide({ holdId, reason: 'They left', at: now })
  const { isOver, holds } = await view()
  expect([isOver, holds]).toMatchObject([false, [{ id: holdId, acceptedReason: 'They left' }]])
  expect(holds[0]).not.toHaveProperty('advice')
})

it('says of a hold because of another tenant that accepting it replaces the data', async () => {
  const world = await soundWorld()
  await world.hold('all', 'tenant_changed')
  await world.hold('users', 'shrink_held')
  expect((await read(world)).holds.map(({ replacesTenant }) => replacesTenant)).toEqual([true, undefined])
})
