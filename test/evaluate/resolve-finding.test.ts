import fc from 'fast-check'
import { expect, it } from 'vitest'
import { acceptStates } from '../../src/evaluate/decisions.ts'
import { closeTenants } from '../../src/evaluate/findings/close-findings.ts'
import { dayMs, hourMs } from '../../src/model/durations.ts'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import { client, document, iso, now, role, settings, user } from '../checks/support/facts.ts'
import { evaluate, lifeOf, resync, soundMirror } from './support/evaluating.ts'
import type { FakeMirror } from './support/fake-mirror.ts'
import { skewClocks } from './support/skew-clocks.ts'
import type { SettingsChanges } from './support/tenant-settings.ts'

const later = now + hourMs

/** A user without a second factor, found; then whatever `change` does, an hour later and under other settings. */
async function endOf(
  change: (mirror: FakeMirror) => unknown,
  changes: SettingsChanges = {},
): Promise<string | undefined> {
  const mirror = soundMirror()
  mirror.put('users', user({ mfaStatus: false }))
  await evaluate(mirror)
  resync(mirror, later)
  change(mirror)
  await evaluate(mirror, { at: later, changes })
  return lifeOf(mirror, 'user-mfa-enrolled')['1']
}

const enrol = (mirror: FakeMirror) => mirror.put('users', user())
const policyOff = (mirror: FakeMirror) => mirror.put('authentication-settings', settings({ mfaEnabled: false }))

it.each<[string, (mirror: FakeMirror) => unknown, string]>([
  ['the user enrolled', enrol, 'fixed'],
  ['the user was removed', (mirror) => mirror.remove('users', '1'), 'entity_removed'],
  [
    'the user enrolled and another record is in quarantine',
    (mirror) => {
      enrol(mirror)
      mirror.quality.users.quarantined = 1
    },
    'fixed',
  ],
  [
    'the user enrolled and another one is missing',
    (mirror) => {
      enrol(mirror)
      mirror.quality.users.missing = 1
    },
    'fixed',
  ],
])('ends a finding when %s', async (_case, change, expected) => {
  expect(await endOf(change)).toBe(expected)
})

it.each<[string, SettingsChanges, string]>([
  ['an operator accepts that', {}, 'not_applicable'],
  [
    'the baseline of the settings says so',
    { checks: { 'auth-settings-unchanged': { options: { baseline: { mfaEnabled: false } } } } },
    'not_applicable',
  ],
  ['nothing watches the settings', { checks: { 'auth-settings-unchanged': { enabled: false } } }, 'not_applicable'],
])('keeps a finding when the policy is switched off, until %s', async (_case, changes, expected) => {
  const mirror = soundMirror()
  mirror.put('users', user({ mfaStatus: false }))
  await evaluate(mirror)
  resync(mirror, later)
  policyOff(mirror)
  const [mfa, drift] = ['user-mfa-enrolled', 'auth-settings-unchanged'] as const
  const switchedOff = await evaluate(mirror, { at: later })
  expect(switchedOff.get(mfa)).toMatchObject({ status: 'fail' })
  expect([lifeOf(mirror, mfa)['1'], lifeOf(mirror, drift)['mfaEnabled']]).toEqual(['open', 'open'])
  if (Object.keys(changes).length === 0) {
    const accepted = { entityId: 'mfaEnabled', state: false, at: later, reason: 'Ticket 1' }
    await acceptStates(mirror.store, [{ tenantId: 1, check: drift, ...accepted }])
  }
  await evaluate(mirror, { at: later, changes })
  expect(lifeOf(mirror, mfa)['1']).toBe(expected)
})

const turnedRound = { options: { enrolledWhen: 'not mfaAction' } }

it.each<[string, SettingsChanges, string]>([
  ['give the flags another meaning', { checks: { 'user-mfa-enrolled': turnedRound } }, 'rule_changed'],
  ['disable the check', { checks: { 'user-mfa-enrolled': { enabled: false } } }, 'check_disabled'],
  ['no longer ask for its input', { resources: { 'authentication-settings': { enabled: false } } }, 'not_applicable'],
])('ends a finding when the settings %s', async (_case, changes, expected) => {
  expect(await endOf(() => {}, changes)).toBe(expected)
})

it.each<[string, (mirror: FakeMirror) => void]>([
  [
    'its users are stale',
    (mirror) => {
      enrol(mirror)
      resync(mirror, now - 3 * hourMs, ['users'])
    },
  ],
  [
    'its settings are stale',
    (mirror) => {
      enrol(mirror)
      resync(mirror, now - 3 * hourMs, ['authentication-settings'])
    },
  ],
  [
    'the policy went off in stale data',
    (mirror) => {
      policyOff(mirror)
      resync(mirror, now - 3 * hourMs, ['users'])
    },
  ],
  [
    'its users were refused',
    (mirror) => {
      enrol(mirror)
      deny(mirror, 'users')
    },
  ],
  [
    'the tenant is on hold',
    (mirror) => {
      enrol(mirror)
      hold(mirror, 'all', 'tenant_changed')
    },
  ],
  [
    'the user itself is in quarantine',
    (mirror) => {
      enrol(mirror)
      mirror.quality.users.quarantined = 1
      mirror.uncertain.add('users 1')
    },
  ],
  ['the row of the user is gone without a tombstone', (mirror) => mirror.lose('users', '1')],
  [
    'the settings are in quarantine',
    (mirror) => {
      enrol(mirror)
      mirror.quality['authentication-settings'].quarantined = 1
    },
  ],
])('keeps a finding open that no longer fails while %s', async (_case, change) => {
  expect(await endOf(change)).toBe('open')
})

it('resolves a finding of a removed user even if the data is stale since', async () => {
  expect(
    await endOf((mirror) => {
      mirror.remove('users', '1')
      resync(mirror, now - 3 * hourMs)
    }),
  ).toBe('entity_removed')
})

it('does not call an expiring secret fixed when it expires', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', client({ secretExpirationDate: iso(now + hourMs) }))
  await evaluate(mirror)
  resync(mirror, now + 2 * hourMs)
  await evaluate(mirror, { at: now + 2 * hourMs })
  expect(lifeOf(mirror, 'api-client-secret-not-expiring')).toEqual({ c1: 'not_applicable' })
  expect(lifeOf(mirror, 'api-client-secret-not-expired')).toEqual({ c1: 'open' })
})

it('keeps a time-based finding open while the clocks differ', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', client({ secretExpirationDate: iso(now) }))
  await evaluate(mirror)
  resync(mirror, now - 365 * dayMs)
  skewClocks(mirror, 365 * dayMs)
  const outcomes = await evaluate(mirror, { at: now - 365 * dayMs })
  expect(lifeOf(mirror, 'api-client-secret-not-expired')).toEqual({ c1: 'open' })
  expect(outcomes.get('api-client-secret-not-expired')).toMatchObject({ status: 'unknown', reason: 'clock_skew' })
})

it('keeps a finding open whose entity can no longer be evaluated', async () => {
  const mirror = soundMirror()
  mirror.put('users', user())
  mirror.put('roles', role({ state: 'Inactive' }))
  await evaluate(mirror)
  mirror.put('roles', role({ roleId: 2 }))
  const outcomes = await evaluate(mirror)
  expect(lifeOf(mirror, 'user-role-active')).toEqual({ '1': 'open' })
  expect(outcomes.get('user-role-active')).toMatchObject({ status: 'unknown', reason: 'ambiguous' })
})

it('keeps findings about all documents open while one of them cannot be read', async () => {
  const mirror = soundMirror()
  for (const fileId of ['d1', 'd2']) mirror.put('documents', document({ fileId }))
  await evaluate(mirror)
  mirror.put('documents', document({ fileId: 'd2', filename: 'other.pdf' }))
  mirror.quality.documents.quarantined = 1
  await evaluate(mirror)
  expect(lifeOf(mirror, 'document-name-unique')).toEqual({ 'policy.pdf': 'open' })
  mirror.quality.documents.quarantined = 0
  await evaluate(mirror)
  expect(lifeOf(mirror, 'document-name-unique')).toEqual({ 'policy.pdf': 'fixed' })
})

it('resolves the findings of a tenant that is removed from the configuration', async () => {
  const mirror = soundMirror()
  mirror.put('users', user({ mfaStatus: false }))
  await evaluate(mirror)
  await closeTenants(mirror.store, ['other'], later)
  expect(lifeOf(mirror, 'user-mfa-enrolled')).toEqual({ '1': 'open' })
  await closeTenants(mirror.store, ['acme'], later)
  expect(lifeOf(mirror, 'user-mfa-enrolled')).toEqual({ '1': 'tenant_removed' })
})

it('neither passes nor resolves on an input that is stale, refused, never complete or on hold', async () => {
  const worlds = fc.record({
    resource: fc.constantFrom(...resourceNames),
    trouble: fc.constantFrom('stale', 'denied', 'never', 'held', 'suspect'),
  })
  await fc.assert(
    fc.asyncProperty(worlds, async ({ resource, trouble }) => {
      const mirror = soundMirror()
      const bad = { secretExpirationDate: iso(now), roleName: 'Gone' }
      mirror.put('authentication-settings', settings({ ssoEnforced: false }))
      mirror.put('api-clients', client(bad))
      mirror.put('users', user({ mfaStatus: false, roleName: 'Gone' }))
      for (const fileId of ['d1', 'd2'])
        mirror.put('documents', document({ fileId, createdAt: '2020-01-01T00:00:00Z' }))
      await evaluate(mirror)
      const before = [...mirror.findings.values()]
      mirror.put('authentication-settings', settings())
      mirror.put('api-clients', client())
      mirror.put('roles', role())
      mirror.put('users', user())
      for (const fileId of ['d1', 'd2']) mirror.put('documents', document({ fileId, filename: fileId }))
      spoil(mirror, resource, trouble)
      const outcomes = await evaluate(mirror)
      const { checks } = await import('../../src/checks/index.ts')
      const touched = new Set(
        checks
          .filter(({ evaluates, needs }) => [evaluates, ...needs].some((name) => name === resource))
          .map(({ id }) => id),
      )
      for (const id of touched) expect(outcomes.get(id)?.status).not.toBe('pass')
      for (const { fingerprint, check } of before) {
        expect(mirror.findings.get(fingerprint)?.resolution ?? null, check).toBe(
          touched.has(check as never) ? null : 'fixed',
        )
      }
    }),
    { numRuns: 60 },
  )
})

function spoil(mirror: FakeMirror, resource: ResourceName, trouble: string): void {
  if (trouble === 'stale') resync(mirror, now - 30 * dayMs, [resource])
  if (trouble === 'denied') deny(mirror, resource)
  if (trouble === 'held') hold(mirror, resource, 'tenant_changed')
  if (trouble === 'suspect') hold(mirror, resource, 'suspect_empty')
  const quality = mirror.quality[resource]
  if (trouble === 'never') quality.state = { ...quality.state, completeStartedAt: null }
}

function deny(mirror: FakeMirror, resource: ResourceName): void {
  const quality = mirror.quality[resource]
  quality.state = { ...quality.state, denied: 'unauthorized' }
}

function hold(mirror: FakeMirror, resource: ResourceName | 'all', reason: 'tenant_changed' | 'suspect_empty'): void {
  mirror.holds.push({
    id: 'h1',
    tenantId: 1,
    tenant: 'acme',
    resource,
    reason,
    count: 1,
    message: '',
    cause: {},
    raisedAt: now,
  })
}
