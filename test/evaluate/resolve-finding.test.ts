import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { closeTenants } from '../../src/evaluate/check-result.ts'
import { acceptStates } from '../../src/evaluate/decisions.ts'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import { dayMs, hourMs } from '../../src/model/time.ts'
import { client, document, iso, now, role, settings, user } from '../checks/support/facts.ts'
import { evaluate, lifeOf, never, resync, soundWorld, type TestWorld } from './support/evaluating.ts'
import type { SettingsChanges } from './support/tenant-settings.ts'

const later = now + hourMs
const [mfa, drift, names] = ['user-mfa-enrolled', 'auth-settings-unchanged', 'document-name-unique']

/** A user without a second factor, found; then whatever `change` does, an hour later and under other settings. */
async function endOf(
  change: (world: TestWorld) => unknown,
  changes: SettingsChanges = {},
): Promise<string | undefined> {
  const world = await soundWorld()
  await world.put('users', user({ mfaStatus: false }))
  await evaluate(world)
  resync(world, later)
  await change(world)
  await evaluate(world, { at: later, changes })
  return (await lifeOf(world, mfa))['1']
}

const enrol = (world: TestWorld) => world.put('users', user())
const policyOff = (world: TestWorld) => world.put('authentication-settings', settings({ mfaEnabled: false }))

/** The user enrolled, and something else that happened. */
const enrolled = (change: (world: TestWorld) => unknown) => async (world: TestWorld) => {
  await enrol(world)
  await change(world)
}
const old = (resource: ResourceName) => (world: TestWorld) => resync(world, now - 3 * hourMs, [resource])
const turnedRound = { options: { enrolledWhen: 'not mfaAction' } }
const settingsOff = { resources: { 'authentication-settings': { enabled: false } } }

it.each<[string, (world: TestWorld) => unknown, string, SettingsChanges?]>([
  ['the user enrolled', enrol, 'fixed'],
  ['the user was removed', (world) => world.remove('users', '1'), 'entity_removed'],
  [
    'the user was removed, and the data is stale since',
    async (world) => {
      await world.remove('users', '1')
      resync(world, now - 3 * hourMs)
    },
    'entity_removed',
  ],
  ['another record is in quarantine', enrolled((world) => world.quarantine('users', 9)), 'fixed'],
  [
    'another user is missing',
    enrolled(async (world) => {
      await world.put('users', user({ userId: 2 }))
      world.miss('users', '2')
    }),
    'fixed',
  ],
  ['the flags have another meaning', () => {}, 'rule_changed', { checks: { [mfa]: turnedRound } }],
  ['the check is switched off', () => {}, 'check_disabled', { checks: { [mfa]: { enabled: false } } }],
  ['its input is switched off', () => {}, 'not_applicable', settingsOff],
  [
    'the policy went off in stale data',
    async (world) => {
      await policyOff(world)
      old('users')(world)
    },
    'open',
  ],
  ['removals of its users are held', enrolled((world) => world.hold('users', 'shrink_held')), 'open'],
  ['the tenant is on hold', enrolled((world) => world.hold('all', 'tenant_changed')), 'open'],
  ['the user itself is in quarantine', enrolled((world) => world.quarantine('users', 1)), 'open'],
  ['the row of the user is gone without a tombstone', (world) => world.lose('users', '1'), 'open'],
  ['the settings are in quarantine', enrolled((world) => world.quarantine('authentication-settings', 0)), 'open'],
])('ends a finding, or keeps it, when %s', async (_case, change, expected, changes) => {
  expect(await endOf(change, changes)).toBe(expected)
})

it.each<[string, SettingsChanges]>([
  ['an operator accepts that', {}],
  ['the baseline of the settings says so', { checks: { [drift]: { options: { baseline: { mfaEnabled: false } } } } }],
  ['nothing watches the settings', { checks: { [drift]: { enabled: false } } }],
])('keeps a finding when the policy is switched off, until %s', async (_case, changes) => {
  const world = await soundWorld()
  await world.put('users', user({ mfaStatus: false }))
  await evaluate(world)
  resync(world, later)
  await policyOff(world)
  const switchedOff = await evaluate(world, { at: later })
  expect(switchedOff.get(mfa)).toMatchObject({ status: 'fail' })
  expect([await lifeOf(world, mfa), await lifeOf(world, drift)]).toEqual([{ 1: 'open' }, { mfaEnabled: 'open' }])
  if (Object.keys(changes).length === 0) {
    const accepted = { entityId: 'mfaEnabled', state: false, at: later, reason: 'Ticket 1' }
    await acceptStates(world.store, [{ tenantId: world.tenantId, check: drift, ...accepted }])
  }
  await evaluate(world, { at: later, changes })
  expect(await lifeOf(world, mfa)).toEqual({ 1: 'not_applicable' })
})

it('does not call an expiring secret fixed when it expires', async () => {
  const world = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now + hourMs) }))
  await evaluate(world)
  resync(world, now + 2 * hourMs)
  await evaluate(world, { at: now + 2 * hourMs })
  expect(await lifeOf(world, 'api-client-secret-not-expiring')).toEqual({ c1: 'not_applicable' })
  expect(await lifeOf(world, 'api-client-secret-not-expired')).toEqual({ c1: 'open' })
})

it('keeps a finding open whose entity can no longer be evaluated', async () => {
  const world = await soundWorld()
  await world.put('users', user())
  await world.put('roles', role({ state: 'Inactive' }))
  await evaluate(world)
  await world.put('roles', role({ roleId: 2 }))
  const outcomes = await evaluate(world)
  expect(await lifeOf(world, 'user-role-active')).toEqual({ 1: 'open' })
  expect(outcomes.get('user-role-active')).toMatchObject({ status: 'unknown', reason: 'ambiguous' })
})

it('keeps findings about all documents open while one of them cannot be read, but none that another one ends', async () => {
  const world = await soundWorld()
  const required = 'document-required-present'
  const changes = { checks: { [required]: { options: { requirements: [{ id: 'r', pattern: 'other*' }] } } } }
  await world.put('documents', document(), document({ fileId: 'd2' }))
  await evaluate(world, { changes })
  expect(await lifeOf(world, required)).toEqual({ r: 'open' })
  const other = document({ fileId: 'd2', filename: 'other.pdf' })
  await world.put('documents', other)
  for (const id of ['d1', 'd2']) await world.quarantine('documents', id)
  await evaluate(world, { changes })
  expect(await lifeOf(world, required)).toEqual({ r: 'open' })
  await world.put('documents', other)
  await evaluate(world, { changes })
  expect(await lifeOf(world, names)).toEqual({ 'policy.pdf': 'open' })
  expect(await lifeOf(world, required)).toEqual({ r: 'fixed' })
  await world.put('documents', document())
  await evaluate(world, { changes })
  expect(await lifeOf(world, names)).toEqual({ 'policy.pdf': 'fixed' })
})

it('resolves the findings of a tenant that is removed from the configuration', async () => {
  const world = await soundWorld()
  await world.put('users', user({ mfaStatus: false }))
  await evaluate(world)
  await closeTenants(world.store, ['other'], later)
  expect(await lifeOf(world, mfa)).toEqual({ 1: 'open' })
  await closeTenants(world.store, ['acme'], later)
  expect(await lifeOf(world, mfa)).toEqual({ 1: 'tenant_removed' })
})

const troubles: Readonly<Record<string, (world: TestWorld, resource: ResourceName) => unknown>> = {
  stale: (world, resource) => resync(world, now - 30 * dayMs, [resource]),
  denied: (world, resource) => world.set(resource, { denied: 'unauthorized' }),
  never: (world, resource) => world.set(resource, never),
  held: (world, resource) => world.hold(resource, 'tenant_changed'),
  suspect: (world, resource) => world.hold(resource, 'suspect_empty'),
}

it('neither passes nor resolves on an input that is stale, refused, never complete or on hold', async () => {
  const cases = fc.record({
    resource: fc.constantFrom(...resourceNames),
    trouble: fc.constantFrom(...Object.keys(troubles)),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ resource, trouble }) => {
      const world = await soundWorld()
      const ids = ['d1', 'd2']
      await world.put('authentication-settings', settings({ ssoEnforced: false }))
      await world.put('api-clients', client({ secretExpirationDate: iso(now), roleName: 'Gone' }))
      await world.put('users', user({ mfaStatus: false, roleName: 'Gone' }))
      await world.put('documents', ...ids.map((fileId) => document({ fileId, createdAt: '2020-01-01T00:00:00Z' })))
      await evaluate(world)
      const before = await world.findings()
      await world.put('authentication-settings', settings())
      await world.put('api-clients', client())
      await world.put('roles', role())
      await world.put('users', user())
      await world.put('documents', ...ids.map((fileId) => document({ fileId, filename: fileId })))
      await troubles[trouble]?.(world, resource)
      const outcomes = await evaluate(world)
      const reads = checks.filter(({ evaluates, needs }) => [evaluates, ...needs].some((name) => name === resource))
      const touched = new Set<string>(reads.map(({ id }) => id))
      for (const id of touched) expect(outcomes.get(id)?.status).not.toBe('pass')
      const after = new Map((await world.findings()).map((one) => [one.fingerprint, one.resolution]))
      for (const { fingerprint, check } of before)
        expect([check, after.get(fingerprint)]).toEqual([check, touched.has(check) ? null : 'fixed'])
    }),
    { numRuns: 60 },
  )
})
