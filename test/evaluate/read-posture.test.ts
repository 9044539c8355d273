import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Waiver } from '../../src/config/settings.ts'
import { readPosture } from '../../src/evaluate/read-posture.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/durations.ts'
import type { CheckView, TenantPosture } from '../../src/model/posture.ts'
import { shownStatus } from '../../src/model/posture-state.ts'
import type { SyncState } from '../../src/store/port.ts'
import { client, iso, now, user } from '../checks/support/facts.ts'
import { offByDefault } from '../support/off-by-default.ts'
import { evaluate, resync, soundMirror } from './support/evaluating.ts'
import type { FakeMirror } from './support/fake-mirror.ts'
import { skewClocks } from './support/skew-clocks.ts'
import { neverState } from './support/sync-states.ts'
import { type SettingsChanges, tenantSettings } from './support/tenant-settings.ts'

interface Reading {
  readonly at?: number
  readonly changes?: SettingsChanges
  readonly waivers?: readonly Waiver[]
}

function read(mirror: FakeMirror, { at = now, changes = {}, waivers = [] }: Reading = {}) {
  const tenant = { id: 1, settings: tenantSettings(changes) }
  const how = { now: at, evaluateIntervalMs: minuteMs }
  return readPosture({ store: mirror.store, tenant, checks, waivers, ...how })
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

const waiver = (fields: Partial<Waiver> = {}): Waiver => ({
  id: 'w1',
  check: 'user-mfa-enrolled',
  entity: '1',
  tenant: 'acme',
  reason: 'Break-glass account, sealed in the safe',
  owner: 'security',
  expiresMs: now + dayMs,
  ...fields,
})

it('shows every configured check as unknown before the first evaluation', async () => {
  const posture = await read(soundMirror())
  expect(posture.checks.map(({ check, status, reason }) => [check, status, reason])).toEqual(
    checks.map(({ id }) => (offByDefault.includes(id) ? [id, 'not_applicable', null] : [id, 'unknown', 'never'])),
  )
  expect(viewOf(posture, 'auth-sso-enforced')).toMatchObject({
    entities: null,
    evaluatedAt: null,
    since: null,
    open: {},
  })
})

it('shows the stored check result while its inputs are fresh', async () => {
  const mirror = soundMirror()
  await evaluate(mirror)
  const view = viewOf(await read(mirror, { at: now + minuteMs }), 'auth-sso-enforced')
  expect(view).toMatchObject({ status: 'pass', reason: null, entities: 1, evaluatedAt: now, since: now, enabled: true })
})

it('does not show an outdated check result, even with fresh data', async () => {
  const mirror = soundMirror()
  await evaluate(mirror)
  resync(mirror, now + 20 * minuteMs)
  expect(statusOf(await read(mirror, { at: now + 15 * minuteMs }), 'auth-sso-enforced')).toBe('pass null')
  expect(statusOf(await read(mirror, { at: now + 15 * minuteMs + 1 }), 'auth-sso-enforced')).toBe('unknown stale')
})

it.each<[string, (mirror: FakeMirror) => void, string]>([
  ['a hold of the tenant', (mirror) => hold(mirror, 'all', 'tenant_changed'), 'unknown tenant_changed'],
  [
    'a hold of the clients for a missing own client',
    (mirror) => hold(mirror, 'api-clients', 'tenant_changed'),
    'unknown tenant_changed',
  ],
  [
    'an accepted change that no full sync has followed',
    (mirror) => {
      mirror.tenant.changeAccepted = ['api-clients']
    },
    'unknown tenant_changed',
  ],
  ['a shrink hold', (mirror) => hold(mirror, 'api-clients', 'shrink_held'), 'unknown shrink_held'],
  ['an empty list nobody accepted', (mirror) => hold(mirror, 'api-clients', 'suspect_empty'), 'unknown suspect_empty'],
  ['a shrink hold of another resource', (mirror) => hold(mirror, 'users', 'shrink_held'), 'pass null'],
  [
    'a record in quarantine',
    (mirror) => {
      mirror.quality['api-clients'].quarantined = 1
    },
    'unknown quarantined',
  ],
  ['skewed clocks', (mirror) => skewClocks(mirror, 300_001), 'unknown clock_skew'],
  ['a refused full sync', (mirror) => failFullSync(mirror, 'unauthorized'), 'unknown unauthorized'],
  ['a missing permission', (mirror) => failFullSync(mirror, 'missing_permission'), 'unknown missing_permission'],
  ['a full sync that failed otherwise', (mirror) => failFullSync(mirror, 'server_error'), 'pass null'],
  ['a full sync that came back empty', (mirror) => failFullSync(mirror, 'suspect_empty'), 'unknown suspect_empty'],
])('applies %s to a stored pass', async (_case, change, expected) => {
  const mirror = soundMirror()
  mirror.put('api-clients', client())
  await evaluate(mirror)
  change(mirror)
  expect(statusOf(await read(mirror, { at: now + minuteMs }), 'api-client-secret-not-expired')).toBe(expected)
})

it('reports a refusal instead of a missing first sync', async () => {
  const mirror = soundMirror()
  mirror.quality.users.state = { ...neverState('users'), denied: 'unauthorized' }
  expect(statusOf(await read(mirror), 'user-mfa-enrolled')).toBe('unknown unauthorized')
})

it('knows that access is refused also while a hold of the tenant keeps every check unknown', async () => {
  const mirror = soundMirror()
  failFullSync(mirror, 'missing_permission')
  hold(mirror, 'all', 'tenant_changed')
  const posture = await read(mirror)
  expect(statusOf(posture, 'api-client-secret-not-expired')).toBe('unknown tenant_changed')
  const refused = posture.resources.filter(({ accessRefused }) => accessRefused)
  expect(refused.map(({ resource }) => resource)).toEqual(['api-clients'])
})

it('knows from one refusal of the token that it is refused for resources that are not due yet, until one is read', async () => {
  const mirror = soundMirror()
  await evaluate(mirror)
  const { users } = mirror.quality
  const message = 'The token is refused'
  users.state = { ...users.state, denied: 'unauthorized', fullAttemptAt: now + 1, tokenRefusedAt: now + 1, message }
  const after = { at: now + 2 }
  const messages = async () => (await read(mirror, after)).resources.map(({ message }) => message)
  expect(new Set(await messages())).toEqual(new Set([message]))
  expect(statusOf(await read(mirror, after), 'auth-sso-enforced')).toBe('unknown unauthorized')
  const settings = mirror.quality['authentication-settings']
  settings.state = { ...settings.state, fullAttemptAt: now + 2, fullSuccessAt: now + 2 }
  expect(statusOf(await read(mirror, after), 'auth-sso-enforced')).toBe('pass null')
  expect(statusOf(await read(mirror, after), 'user-mfa-enrolled')).toBe('unknown unauthorized')
  // Attempts that end otherwise refuse nothing, whether the refusal is over or it may concern these users alone.
  users.state = { ...users.state, fullAttemptAt: now + 3 }
  expect(statusOf(await read(mirror, after), 'auth-sso-enforced')).toBe('pass null')
})

it('does not show a check result from when an input was switched off', async () => {
  const mirror = soundMirror()
  const changes = { resources: { 'authentication-settings': { enabled: false } } }
  await evaluate(mirror, { changes })
  expect(statusOf(await read(mirror, { changes }), 'auth-sso-enforced')).toBe('not_applicable null')
  expect(statusOf(await read(mirror), 'auth-sso-enforced')).toBe('unknown stale')
  await evaluate(mirror)
  expect(statusOf(await read(mirror), 'auth-sso-enforced')).toBe('pass null')
})

it('shows a disabled check as not applicable and a switched-off input likewise', async () => {
  const mirror = soundMirror()
  const changes = {
    checks: { 'auth-sso-enforced': { enabled: false, severity: 'info' as const } },
    resources: { users: { enabled: false } },
  }
  const posture = await read(mirror, { changes })
  expect(viewOf(posture, 'auth-sso-enforced')).toMatchObject({
    enabled: false,
    status: 'not_applicable',
    severities: ['info'],
  })
  expect(viewOf(posture, 'user-mfa-enrolled')).toMatchObject({ enabled: true, status: 'not_applicable', reason: null })
})

it('counts open findings by severity, waived ones apart, and fails for waived ones too', async () => {
  const mirror = soundMirror()
  mirror.put('users', user({ mfaStatus: false }))
  mirror.put('users', user({ userId: 2, mfaStatus: false }))
  mirror.put('users', user({ userId: 3, mfaStatus: false, state: 'Invited' }))
  await evaluate(mirror)
  const counts = async (...waivers: Waiver[]) => {
    const { open, waived, status } = viewOf(await read(mirror, { waivers }), 'user-mfa-enrolled')
    return { open, waived, status }
  }
  expect(await counts()).toEqual({ open: { high: 2, low: 1 }, waived: {}, status: 'fail' })
  expect(await counts(waiver())).toEqual({ open: { high: 1, low: 1 }, waived: { high: 1 }, status: 'fail' })
  expect(await counts(waiver(), waiver({ id: 'w2' }), waiver({ id: 'w3', entity: '3' }))).toEqual({
    open: { high: 1 },
    waived: { high: 1, low: 1 },
    status: 'fail',
  })
  expect(await counts(waiver({ entity: '*' }))).toEqual({ open: {}, waived: { high: 2, low: 1 }, status: 'fail' })
  for (const other of [{ tenant: 'other' }, { check: 'user-role-active' }, { expiresMs: now - 1 }, { entity: '9' }]) {
    expect(await counts(waiver(other))).toMatchObject({ waived: {} })
  }
  expect((await counts(waiver({ expiresMs: now }))).waived).toEqual({ high: 1 })
})

it('says why more than the waived entities may fail while a record is in quarantine', async () => {
  const mirror = soundMirror()
  mirror.put('users', user({ mfaStatus: false }))
  await evaluate(mirror)
  const [check, all] = ['user-mfa-enrolled', { waivers: [waiver({ entity: '*' })] }]
  const shown = async () => {
    const view = viewOf(await read(mirror, all), check)
    return [shownStatus(view), view.partial]
  }
  expect(await shown()).toEqual(['waived', undefined])
  mirror.quality.users.quarantined = 1
  expect(await shown()).toEqual(['unknown', 'quarantined'])
})

it('shows each resource with its age, limits and last failure', async () => {
  const mirror = soundMirror()
  mirror.put('users', user())
  const { state } = mirror.quality.users
  mirror.quality.users.state = {
    ...state,
    incrementalAttemptAt: now,
    incrementalReason: 'timeout',
    message: 'It took too long',
  }
  const { resources } = await read(mirror, { at: now + minuteMs })
  expect(resources.find(({ resource }) => resource === 'users')).toEqual({
    resource: 'users',
    enabled: true,
    live: 1,
    quarantined: 0,
    missing: 0,
    dataAsOf: now,
    firstCompleteAt: null,
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

it.each<[string, Partial<SyncState>, boolean]>([
  ['a full sync that a refused cursor needs fails', { cursor: 'c', fullSyncOwed: true }, false],
  ['incremental syncs pause until the next full sync, which fails', { cursor: 'c', incrementalPaused: true }, false],
  ['there is no cursor, and a full sync fails', { cursor: null }, false],
  ['a full sync fails beside incremental ones that work', { cursor: 'c' }, true],
])('reports whether incremental syncs work while %s', async (_case, change, up) => {
  const mirror = soundMirror()
  mirror.quality.users.state = { ...mirror.quality.users.state, fullReason: 'server_error', ...change }
  const { resources } = await read(mirror)
  const [incremental] = resources.find(({ resource }) => resource === 'users')?.modes ?? []
  expect(incremental).toMatchObject({ mode: 'incremental', up, reason: up ? null : 'server_error' })
})

it('shows no resource as fresh after a tenant change until it completes a full sync', async () => {
  const mirror = soundMirror()
  mirror.tenant.changeAccepted = ['roles']
  const { resources } = await read(mirror)
  const uncertain = resources.filter(({ fresh }) => !fresh).map(({ resource }) => resource)
  expect(uncertain).toEqual(['roles'])
})

it('calls nothing fresh before the first run of a resource has ended, whose list is complete before its details', async () => {
  const mirror = soundMirror()
  mirror.quality.users.state = { ...neverState('users'), completeStartedAt: now }
  const { resources, checks } = await read(mirror)
  const users = resources.find(({ resource }) => resource === 'users')
  expect(users).toMatchObject({ dataAsOf: null, fresh: false })
  expect(checks.find(({ check }) => check === 'user-mfa-enrolled')).toMatchObject({
    status: 'unknown',
    reason: 'never',
  })
})

it('never shows a pass when an input is older than its limit', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', client({ secretExpirationDate: iso(now + 300 * dayMs) }))
  await evaluate(mirror)
  const ages = [0, 1, 2, 3, 5, 8, 24].map((hours) => hours * hourMs)
  for (const age of ages) {
    for (const state of mirror.states.values()) mirror.states.set(state.check, { ...state, evaluatedAt: now + age })
    const { checks: views, resources } = await read(mirror, { at: now + age })
    const stale = new Set(resources.filter(({ fresh }) => !fresh).map(({ resource }) => resource))
    for (const { check, status } of views) {
      const spec = checks.find(({ id }) => id === check)
      const hangsOnStale = [spec?.evaluates, ...(spec?.needs ?? [])].some(
        (name) => name !== undefined && stale.has(name),
      )
      if (hangsOnStale && !offByDefault.includes(check)) expect(status).toBe('unknown')
    }
  }
})

function failFullSync(
  mirror: FakeMirror,
  fullReason: 'unauthorized' | 'missing_permission' | 'server_error' | 'suspect_empty',
) {
  const quality = mirror.quality['api-clients']
  const isDenial = fullReason === 'unauthorized' || fullReason === 'missing_permission'
  const denied = isDenial ? fullReason : null
  quality.state = { ...quality.state, fullAttemptAt: now + 1, fullReason, denied }
}

function hold(
  mirror: FakeMirror,
  resource: 'all' | 'api-clients' | 'roles' | 'users',
  reason: 'tenant_changed' | 'shrink_held' | 'suspect_empty',
  message = '',
) {
  mirror.holds.push({
    id: 'h1',
    tenantId: 1,
    tenant: 'acme',
    resource,
    reason,
    count: 1,
    message,
    cause: {},
    raisedAt: now,
  })
}

/** The hold `h1` of users. */
function acceptHold(mirror: FakeMirror) {
  const data = { resource: 'users', holdReason: 'shrink_held', count: 1, reason: 'They left' }
  mirror.log.push({ id: 1, tenant: 'acme', kind: 'hold.accepted', subject: 'h1', at: now, data })
}

it('says of a run that a hold failed when the hold has ended since', async () => {
  const mirror = soundMirror()
  const { users } = mirror.quality
  const message = async () => (await read(mirror)).resources.find(({ resource }) => resource === 'users')?.message
  users.state = { ...users.state, fullAttemptAt: now + 1, fullReason: 'shrink_held', message: '9 users are gone' }
  expect(await message()).toBe('The hold has ended; the run under way or the next one reads the resource again')
  hold(mirror, 'api-clients', 'shrink_held')
  expect(await message()).toBe('9 users are gone')
  mirror.holds.pop()
  hold(mirror, 'users', 'shrink_held')
  expect(await message()).toBe('9 users are gone')
  expect((await read(mirror)).holds).toEqual([
    expect.objectContaining({ effect: expect.any(String), advice: expect.any(String) }),
  ])
  acceptHold(mirror)
  expect(await message()).toBe('9 users are gone')
  const [accepted] = (await read(mirror)).holds
  expect(accepted).toMatchObject({ id: 'h1', acceptedReason: 'They left' })
  expect(accepted).not.toHaveProperty('effect')
  expect(accepted).not.toHaveProperty('advice')
  users.state = { ...users.state, incrementalAttemptAt: now + 2, incrementalReason: null }
  expect(await message()).toBe('9 users are gone')
  mirror.holds.pop()
  expect(await message()).toBe('The hold has ended; the run under way or the next one reads the resource again')
  users.state = { ...users.state, incrementalReason: 'timeout', message: 'Too long' }
  expect(await message()).toBe('Too long')
})

it('says of a hold because of another tenant that it ends by itself, and that accepting it replaces the data', async () => {
  const mirror = soundMirror()
  hold(mirror, 'all', 'tenant_changed')
  hold(mirror, 'users', 'shrink_held')
  expect((await read(mirror)).holds).toEqual([
    expect.objectContaining({
      advice: expect.stringContaining('accept nothing: the hold ends by itself'),
      replacesTenant: true,
    }),
    expect.not.objectContaining({ replacesTenant: expect.anything() }),
  ])
})

it('says of a hold that an operator accepted it, until it has ended', async () => {
  const mirror = soundMirror()
  hold(mirror, 'users', 'shrink_held')
  expect((await read(mirror)).holds).toEqual([expect.not.objectContaining({ acceptedReason: expect.anything() })])
  acceptHold(mirror)
  expect((await read(mirror)).holds).toMatchObject([{ id: 'h1', acceptedReason: 'They left' }])
})
