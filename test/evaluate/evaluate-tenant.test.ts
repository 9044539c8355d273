import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Check } from '../../src/evaluate/check.ts'
import { fingerprintOf } from '../../src/model/finding.ts'
import { silentLog } from '../../src/model/log.ts'
import { dayMs, hourMs, secondMs } from '../../src/model/time.ts'
import { findingKinds } from '../../src/store/events.ts'
import { client, document, iso, now, role, user } from '../checks/support/facts.ts'
import { seenEvents } from '../support/events.ts'
import { offByDefault } from '../support/off-by-default.ts'
import { evaluate, lifeOf, never, resync, soundWorld } from './support/evaluating.ts'

const expired = client({ secretExpirationDate: iso(now - dayMs) })

it('evaluates every check of the catalogue and stores the results', async () => {
  const world = await soundWorld()
  await world.put('roles', role())
  await world.put('users', user())
  await world.put('api-clients', client())
  await world.put('documents', document())
  const outcomes = await evaluate(world)
  const inapplicable = [...offByDefault, 'user-invitation-accepted']
  expect([...outcomes].map(([id, { status }]) => [id, status])).toEqual(
    checks.map(({ id }) => [id, inapplicable.includes(id) ? 'not_applicable' : 'pass']),
  )
  expect(await world.state('user-mfa-enrolled')).toMatchObject({ entities: 1, evaluatedAt: now })
})

it('opens, changes, resolves and reopens a finding', async () => {
  const world = await soundWorld()
  await world.put('roles', role())
  const put = (days: number) => world.put('api-clients', client({ secretExpirationDate: iso(now + days * dayMs) }))
  const kinds = () =>
    seenEvents(world.query, ...findingKinds).flatMap((row) =>
      row['subject'] === fingerprintOf(identity) ? [String(row['kind']).replace('finding.', '')] : [],
    )
  const check = 'api-client-secret-not-expiring'
  const identity = { tenant: 'acme', check, entityType: 'api-client', entityId: 'c1' }
  await put(20)
  const first = await evaluate(world)
  expect(first.get('api-client-secret-not-expiring')).toMatchObject({ status: 'fail', opened: 1 })
  await evaluate(world, { at: now + 60_000 })
  expect(kinds()).toEqual(['opened'])
  await put(5)
  await evaluate(world)
  await put(100)
  const third = await evaluate(world)
  expect(third.get('api-client-secret-not-expiring')).toMatchObject({ status: 'pass', resolved: { fixed: 1 } })
  await put(20)
  await evaluate(world)
  expect(kinds()).toEqual(['opened', 'changed', 'resolved', 'reopened'])
  expect(await world.findings()).toMatchObject([{ entityId: 'c1', reopened: 1, severity: 'medium', resolution: null }])
})

it('opens time-based findings on stale input, with status unknown', async () => {
  const world = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now + dayMs) }))
  const outcomes = await evaluate(world, { at: now + 2 * dayMs })
  expect(outcomes.get('api-client-secret-not-expired')).toMatchObject({ status: 'unknown', reason: 'stale', opened: 1 })
})

it('opens findings about single records before the first complete full sync, but none that depend on absence', async () => {
  const world = await soundWorld()
  world.set('api-clients', never)
  world.set('documents', never)
  world.set('roles', never)
  await world.put('api-clients', expired)
  const requirements = [{ id: 'soc2', pattern: '*' }]
  const outcomes = await evaluate(world, {
    changes: { checks: { 'document-required-present': { options: { requirements } } } },
  })
  expect(outcomes.get('api-client-secret-not-expired')).toMatchObject({ status: 'unknown', reason: 'never', opened: 1 })
  expect(outcomes.get('document-required-present')).toMatchObject({ status: 'unknown', reason: 'never', opened: 0 })
  expect(outcomes.get('api-client-role-active')).toMatchObject({ status: 'unknown', reason: 'never', opened: 0 })
})

it.each(['api-client-least-privilege', 'api-client-role-active', 'user-role-active'])(
  'opens nothing of %s while roles were never read, and not for what only a stale list lacks',
  async (check) => {
    const world = await soundWorld()
    await world.put('api-clients', client({ roleName: 'New' }))
    await world.put('users', user({ roleName: 'New' }))
    world.set('roles', never)
    expect((await evaluate(world)).get(check)).toMatchObject({ status: 'unknown', reason: 'never', opened: 0 })
    resync(world, now - 30 * dayMs, ['roles'])
    expect((await evaluate(world)).get(check)).toMatchObject({ status: 'unknown', reason: 'stale', opened: 0 })
  },
)

it('knows of a role that went for as long as ids of roles count', async () => {
  const world = await soundWorld()
  const changes = { checks: { 'user-role-active': { options: { roleIdHours: 72 } } } }
  await world.put('roles', role())
  await world.put('users', user())
  const item = { ok: true as const, record: user({ roleId: 1 }), extra: null, oddities: [] }
  const answer = { item, at: now - 1, requestId: null }
  await world.store.saveDetails(world.tenantId, 'users', [answer])
  await world.remove('roles', '1')
  await world.put('roles', role({ roleId: 2 }))
  for (const hours of [1, 30]) {
    const at = now + hours * hourMs
    resync(world, at)
    expect((await evaluate(world, { changes, at })).get('user-role-active')).toMatchObject({ status: 'unknown' })
  }
})

it('does not pass by a document that is missing from the last complete full sync, and keeps the finding open', async () => {
  const world = await soundWorld()
  const check = 'document-required-present'
  const changes = { checks: { [check]: { options: { requirements: [{ id: 'soc2', pattern: 'policy*' }] } } } }
  const evaluated = async () => (await evaluate(world, { changes })).get(check)
  expect(await evaluated()).toMatchObject({ status: 'fail' })
  await world.put('documents', document())
  world.miss('documents', 'd1')
  expect(await evaluated()).toMatchObject({ status: 'unknown', reason: 'missing_records', resolved: {} })
  await world.put('documents', document())
  expect(await evaluated()).toMatchObject({ status: 'pass', resolved: { fixed: 1 } })
})

it('has no number of entities before a complete full sync or without an evaluation', async () => {
  const world = await soundWorld()
  world.set('users', never)
  await world.put('users', user({ state: 'Invited' }))
  const entities = async () => (await world.state('user-invitation-accepted'))?.entities
  await evaluate(world)
  expect(await entities()).toBeNull()
  resync(world, now)
  await evaluate(world)
  expect(await entities()).toBe(1)
  await evaluate(world, { changes: { resources: { users: { enabled: false } } } })
  expect(await entities()).toBeNull()
  await evaluate(world, { changes: { checks: { 'user-invitation-accepted': { enabled: false } } } })
  expect(await entities()).toBeNull()
})

it('is unknown while an entity cannot be evaluated, but fails if another one fails', async () => {
  const world = await soundWorld()
  await world.put('api-clients', client({ roleName: 'Gone' }))
  expect((await evaluate(world)).get('api-client-least-privilege')).toMatchObject({
    status: 'unknown',
    reason: 'ambiguous',
  })
  await world.put('api-clients', client({ clientId: 'c2', roleName: 'Admin' }))
  await world.put('roles', role({ name: 'Admin' }, ['Api_Users_Create']))
  expect((await evaluate(world)).get('api-client-least-privilege')).toMatchObject({ status: 'fail', reason: null })
})

it('does not apply a check that is not configured, whatever the state of its inputs, and closes its findings', async () => {
  const world = await soundWorld()
  const requirements = [{ id: 'soc2', pattern: 'SOC2*' }]
  const changes = { checks: { 'document-required-present': { options: { requirements } } } }
  const configured = await evaluate(world, { changes })
  expect(configured.get('document-required-present')).toMatchObject({ status: 'fail' })
  const outcomes = await evaluate(world, { at: now + 30 * dayMs })
  expect(outcomes.get('document-required-present')).toMatchObject({ status: 'not_applicable', reason: null })
  expect(await lifeOf(world, 'document-required-present')).toEqual({ soc2: 'not_applicable' })
})

it('sets a check that throws to unknown, keeps its findings, logs the error and continues', async () => {
  const world = await soundWorld()
  await world.put('api-clients', expired)
  const [healthy] = checks.filter(({ id }) => id === 'api-client-secret-not-expired')
  if (healthy === undefined) throw new Error('The catalogue has no such check')
  let isBroken = false
  const fragile: Check = {
    ...healthy,
    id: 'a-fragile-check',
    begin(...given) {
      if (isBroken || healthy.begin === undefined) throw new TypeError('broken')
      return healthy.begin(...given)
    },
  }
  const errors: string[] = []
  const log = { ...silentLog(), error: (_fields: object, message: string) => void errors.push(message) }
  const catalogue = [fragile, healthy]
  await evaluate(world, { catalogue })
  isBroken = true
  world.set('api-clients', {})
  const outcomes = await evaluate(world, { catalogue, log: { ...log, child: () => log } })
  const expected = { status: 'unknown', reason: 'internal', opened: 0, resolved: {} }
  expect(outcomes.get('a-fragile-check')).toMatchObject(expected)
  expect(outcomes.get(healthy.id)?.status).toBe('fail')
  expect(await lifeOf(world, 'a-fragile-check')).toEqual({ c1: 'open' })
  expect(errors).toEqual(['Check could not be evaluated'])
})

it('evaluates only checks that read the synced resource', async () => {
  const outcomes = await evaluate(await soundWorld(), { onlyInputs: ['roles'] })
  expect([...outcomes.keys()]).toEqual([
    'api-client-least-privilege',
    'api-client-role-active',
    'permission-catalogue-known',
    'role-permissions-unchanged',
    'user-least-privilege',
    'user-role-active',
  ])
})

it('stops on abort', async () => {
  const signal = AbortSignal.abort(new Error('shutting down'))
  await expect(evaluate(await soundWorld(), { signal })).rejects.toThrow('shutting down')
})

it('shows no result of a disabled check without findings: a replica that has it switched on would show one nobody renews', async () => {
  const world = await soundWorld()
  const before = (await evaluate(world)).get('api-client-secret-not-expired')?.status
  const changes = { checks: { 'api-client-secret-not-expired': { enabled: false } } }
  const at = now + secondMs
  expect((await evaluate(world, { at, changes })).get('api-client-secret-not-expired')?.status).toBe('unknown')
  expect((await evaluate(world, { at: at + secondMs, changes })).has('api-client-secret-not-expired')).toBe(false)
  expect((await evaluate(world, { at: at + secondMs })).get('api-client-secret-not-expired')?.status).toBe(before)
})
