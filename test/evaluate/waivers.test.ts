import { expect, it } from 'vitest'
import { dayMs, minuteMs } from '../../src/model/time.ts'
import { client, document, iso, now, role, settings, user } from '../checks/support/facts.ts'
import { emptyWorld } from './support/evaluating.ts'
import { sqliteWorld, waiver } from './support/sqlite-world.ts'

const mfa = 'user-mfa-enrolled'

async function invited() {
  const world = await sqliteWorld()
  await world.sync({
    'authentication-settings': [settings()],
    users: [user({ state: 'Invited', mfaStatus: false }), user({ userId: 2, mfaStatus: false })],
  })
  world.waivers = [waiver()]
  await world.evaluate()
  return world
}

const activated = (fields: Record<string, unknown> = {}) => ({
  users: [user({ mfaStatus: false, ...fields }), user({ userId: 2, mfaStatus: false })],
})

it('lapses a waiver when the accepted facts change, until it is renewed', async () => {
  const world = await invited()
  await world.sync(activated())
  await world.evaluate()
  expect(await world.counts(mfa)).toEqual({ status: 'fail', open: { high: 2 }, waived: {} })
  const explanation = 'waiver lapsed: the accepted facts changed (state: "Invited" → "Active")'
  expect((await world.findings(mfa))[0]).toMatchObject({
    state: 'open',
    waiver: { id: 'w1', state: 'lapsed', explanation },
  })
  expect(await world.waiver()).toMatchObject({ state: 'lapsed', covered: 0, lapsed: 1 })
  await world.sync(activated({ state: 'Invited' }))
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({})
  world.waivers = [waiver({ owner: 'somebody else' })]
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({})
  world.waivers = [waiver({ reason: 'Looked at again, the account stays sealed' })]
  expect((await world.counts(mfa)).waived).toEqual({ low: 1 })
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({ low: 1 })
  expect(await world.waiver()).toMatchObject({ state: 'active', covered: 1, lapsed: 0 })
})

it('counts no finding of a lapsed waiver that another one covers, and none twice', async () => {
  const world = await invited()
  world.waivers = [waiver(), waiver({ id: 'all', entity: '*' })]
  await world.evaluate()
  await world.sync(activated())
  await world.evaluate()
  const lapsed = async (id: string) => (await world.waiver(id))?.lapsed
  expect([await lapsed('w1'), await lapsed('all')]).toEqual([1, 1])
  const named = waiver({ id: 'w2' })
  world.waivers = [waiver(), waiver({ id: 'all', entity: '*' }), named]
  await world.evaluate()
  expect([await lapsed('w1'), await lapsed('all')]).toEqual([0, 0])
  expect(await world.waiver('w1')).toMatchObject({ state: 'lapsed', covered: 0 })
  world.waivers = [waiver(), waiver({ id: 'all', entity: '*', reason: 'Looked at again, the accounts stay sealed' })]
  await world.evaluate()
  expect([await lapsed('w1'), await lapsed('all')]).toEqual([0, 0])
  expect((await world.counts(mfa)).open).toEqual({})
})

it('accepts the facts stored before the waiver, not those of the same evaluation', async () => {
  const world = await invited()
  world.waivers = []
  await world.evaluate()
  world.waivers = [waiver({ id: 'w2' })]
  await world.sync(activated())
  await world.evaluate()
  expect(await world.waiver('w2')).toMatchObject({ state: 'lapsed', lapsed: 1 })
})

it.each([
  ['covers it with the same facts', 'Invited', { state: 'active', covered: 1 }],
  ['lapses with others', 'Active', { state: 'lapsed', covered: 0 }],
])('keeps accepted facts when the finding is resolved and reopened: %s', async (_what, state, expected) => {
  const world = await invited()
  await world.sync({ users: [user({ state: 'Invited' }), user({ userId: 2, mfaStatus: false })] })
  await world.evaluate()
  expect(await world.waiver()).toMatchObject({ state: 'active', covered: 0 })
  // To withdraw a waiver and to return it agrees to nothing.
  for (const waivers of [[], [waiver(), waiver({ id: 'agreed while it is resolved' })]]) {
    world.waivers = waivers
    await world.evaluate()
  }
  await world.sync(activated({ state }))
  await world.evaluate()
  expect(await world.waiver()).toMatchObject(expected)
  expect(await world.waiver('agreed while it is resolved')).toMatchObject({ covered: 1, lapsed: 0 })
})

it('expires without an evaluation', async () => {
  const world = await invited()
  world.waivers = [waiver({ expiresMs: world.now + minuteMs })]
  expect((await world.counts(mfa)).waived).toEqual({ low: 1 })
  world.pass(minuteMs + 1)
  expect(await world.counts(mfa)).toMatchObject({ open: { high: 1, low: 1 }, waived: {} })
  expect(await world.waiver()).toMatchObject({ state: 'expired', covered: 0 })
  const explanation = `waiver expired: it was valid until ${iso(world.now).slice(0, 10)}`
  expect((await world.findings(mfa))[0]?.waiver).toMatchObject({ state: 'expired', explanation })
})

it('keeps accepted facts while the clock is temporarily years ahead', async () => {
  const world = await sqliteWorld()
  await world.sync({
    'authentication-settings': [settings()],
    users: [user({ state: 'Invited', mfaStatus: false })],
  })
  await world.evaluate()
  world.waivers = [waiver()]
  world.pass(5 * 365 * dayMs)
  await world.evaluate()
  expect(await world.waiver()).toMatchObject({ state: 'expired' })
  world.pass(-5 * 365 * dayMs)
  await world.mirror.noteTime(world.now)
  await world.mirror.confirmTime(world.now)
  await world.evaluate()
  expect(await world.waiver()).toMatchObject({ state: 'active', covered: 1 })
  for (const fields of [{ state: 'Invited' }, { mfaStatus: false }]) {
    await world.sync({ users: [user(fields)] })
    await world.evaluate()
  }
  expect(await world.waiver()).toMatchObject({ state: 'lapsed', covered: 0, lapsed: 1 })
})

it('lapses when another document gets the same name', async () => {
  const world = await sqliteWorld()
  const named = (count: number) => ({
    documents: Array.from({ length: count }, (_, i) =>
      document({ fileId: `00000000-0000-0000-0000-${100 + i}000000000` }),
    ),
  })
  const check = 'document-name-unique'
  world.waivers = [waiver({ check, entity: 'policy.pdf' })]
  await world.sync(named(30))
  await world.evaluate()
  expect((await world.counts(check)).waived).toEqual({ info: 1 })
  await world.sync(named(31))
  await world.evaluate()
  expect(await world.counts(check)).toEqual({ status: 'fail', open: { info: 1 }, waived: {} })
})

it('accepts nothing after a tenant change, because ids may belong to other records', async () => {
  const world = await invited()
  const { mirror, tenantId } = world
  const resolved = { users: [user({ state: 'Invited', mfaStatus: false }), user({ userId: 2 })] }
  world.waivers = [waiver({ entity: '*' }), waiver({ id: 'w2', entity: '3' })]
  await world.evaluate()
  await world.sync(resolved)
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({ low: 1 })
  const raised = { tenantId, resource: 'all', reason: 'tenant_changed', count: 2, message: '', cause: {} } as const
  const { id: holdId } = await mirror.raiseHold({ ...raised, at: world.now })
  await mirror.decide({ holdId, reason: 'We moved', at: world.now })
  await mirror.applyDecision(holdId, { tenantId, at: world.now, coversKnown: true })
  expect((await world.counts(mfa)).waived).toEqual({})
  const [finding] = await world.findings(mfa)
  expect(finding?.waiver?.explanation).toContain('(tenant: nothing → "accepted as another one")')
  await world.sync({ users: [1, 2, 3].map((userId) => user({ userId, state: 'Invited', mfaStatus: false })) })
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({})
  world.waivers = [waiver({ reason: 'Looked at again in the new tenant' })]
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({ low: 1 })
})

it('does not lapse with time or with another notation of the same instant', async () => {
  const expiring = 'api-client-secret-not-expiring'
  const world = await sqliteWorld()
  const id = '00000000-0000-0000-0000-00000000000a'
  const at = now + 20 * dayMs
  const roles = [role()]
  await world.sync({ roles, 'api-clients': [client({ clientId: id.toUpperCase(), secretExpirationDate: iso(at) })] })
  world.waivers = [waiver({ check: expiring, entity: id.toUpperCase() })]
  await world.evaluate()
  expect((await world.counts(expiring)).waived).toEqual({ medium: 1 })
  const otherwise = iso(at + 60 * minuteMs).replace('Z', '+01:00')
  world.pass(15 * dayMs)
  await world.sync({ roles, 'api-clients': [client({ clientId: id, secretExpirationDate: otherwise })] })
  await world.evaluate()
  expect(await world.counts(expiring)).toMatchObject({ open: {}, waived: { high: 1 } })
  expect(await world.waiver()).toMatchObject({ state: 'active', covered: 1 })
  const moved = client({ clientId: id, secretExpirationDate: iso(at - dayMs) })
  await world.sync({ roles, 'api-clients': [moved] })
  await world.evaluate()
  expect(await world.counts(expiring)).toMatchObject({ open: { high: 1 }, waived: {} })
})

it('lapses when the role of an accepted client changes, and when a setting drifts further', async () => {
  const [privilege, drift] = ['api-client-least-privilege', 'auth-settings-unchanged']
  const world = await sqliteWorld()
  const roles = [role({ name: 'A' }, ['Api_Users_Create']), role({ roleId: 2, name: 'B' }, ['Api_Users_Create'])]
  await world.sync({ roles, 'api-clients': [client({ roleName: 'A' })], 'authentication-settings': [settings()] })
  await world.sync({ 'authentication-settings': [settings({ providerType: 'Oidc' })] })
  world.waivers = [
    waiver({ check: privilege, entity: 'c1' }),
    waiver({ id: 'w2', check: drift, entity: 'providerType' }),
  ]
  await world.evaluate()
  expect([(await world.waiver()).covered, (await world.waiver('w2')).covered]).toEqual([1, 1])
  await world.sync({ 'api-clients': [client({ roleName: 'B' })], roles })
  await world.sync({ 'authentication-settings': [settings({ providerType: 'Ldap' })] })
  await world.evaluate()
  expect((await world.findings(privilege))[0]?.waiver?.explanation).toContain('(roleName: "A" → "B")')
  expect((await world.findings(drift))[0]?.waiver?.explanation).toContain('(present: "Oidc" → "Ldap")')
})

it('covers unchanged findings by a waiver for all entities, counts the rest', async () => {
  const check = 'user-invitation-accepted'
  const world = await sqliteWorld()
  const waiting = (ids: readonly number[], changed: number[] = []) =>
    ids.map((userId) => {
      const roleName = changed.includes(userId) ? 'Admin' : 'Reader'
      return user({ userId, state: 'Invited', createdAt: iso(now - 20 * dayMs), roleName })
    })
  const ids = Array.from({ length: 22 }, (_, i) => i + 1)
  await world.sync({ users: waiting(ids) })
  world.waivers = [waiver({ check, entity: '*' }), waiver({ id: 'w2', check, entity: '3' })]
  await world.evaluate()
  expect(await world.counts(check)).toEqual({ status: 'fail', open: {}, waived: { medium: 22 } })
  expect(await world.waiver()).toMatchObject({ covered: 22, lapsed: 0 })
  await world.sync({ users: waiting([...ids, 23], [1, 2]) })
  await world.evaluate()
  expect(await world.counts(check)).toMatchObject({ open: { medium: 2 }, waived: { medium: 21 } })
  expect(await world.waiver()).toMatchObject({ state: 'active', covered: 21, lapsed: 2 })
  expect(await world.waiver('w2')).toMatchObject({ covered: 1 })
  world.pass(15 * dayMs)
  await world.sync({ users: waiting(ids, [1, 2]) })
  await world.evaluate()
  expect(await world.waiver()).toMatchObject({ covered: 20, lapsed: 2 })
})

it('reports an orphaned waiver only after a complete full sync', async () => {
  const world = await sqliteWorld({ checks: { 'document-current': { enabled: false } } })
  world.waivers = [
    waiver({ entity: '77' }),
    waiver({ id: 'off', check: 'document-current', entity: '*' }),
    waiver({ id: 'known', entity: '1' }),
    waiver({ id: 'derived', check: 'document-name-unique', entity: 'plan.pdf' }),
  ]
  const states = async () => (await world.posture()).waivers.map(({ state }) => state)
  expect(await states()).toEqual(['active', 'orphaned', 'active', 'active'])
  await world.sync({ 'authentication-settings': [settings()], users: [user()], documents: [document()] })
  await world.evaluate()
  expect(await states()).toEqual(['orphaned', 'orphaned', 'active', 'orphaned'])
})

it('knows no entity that only came in quarantine, neither now nor as of a time', async () => {
  const { store, tenantId, quarantine } = await emptyWorld()
  await quarantine('users', 2)
  for (const reader of [store, await store.past(now, true)])
    expect(await reader.isLive(tenantId, 'users', '2')).toBe(false)
})

it('writes nothing about waivers while nothing changes', async () => {
  const world = await invited()
  const written = () => world.query(`select * from events where kind like 'waiver.%'`)
  const before = written()
  expect(before).toHaveLength(1)
  world.pass(minuteMs)
  await world.evaluate()
  expect(written()).toEqual(before)
})
