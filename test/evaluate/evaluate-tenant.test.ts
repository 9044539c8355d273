import { expect, it } from 'vitest'
import * as z from 'zod'
import { checks } from '../../src/checks/index.ts'
import { defineCheck } from '../../src/checks/support/define-check.ts'
import { dayMs, hourMs, secondMs } from '../../src/model/durations.ts'
import { fingerprintOf } from '../../src/model/finding.ts'
import { silentLog } from '../../src/model/log.ts'
import { client, document, iso, now, role, settings, user } from '../checks/support/facts.ts'
import { offByDefault } from '../support/off-by-default.ts'
import { evaluate, lifeOf, resync, soundMirror } from './support/evaluating.ts'
import { neverState } from './support/sync-states.ts'

const expired = client({ secretExpirationDate: iso(now - dayMs) })

it('evaluates every check of the catalogue and stores the results', async () => {
  const mirror = soundMirror()
  mirror.put('roles', role())
  mirror.put('users', user())
  mirror.put('api-clients', client())
  mirror.put('documents', document())
  const outcomes = await evaluate(mirror)
  const inapplicable = [...offByDefault, 'user-invitation-accepted']
  expect([...outcomes].map(([id, { status }]) => [id, status])).toEqual(
    checks.map(({ id }) => [id, inapplicable.includes(id) ? 'not_applicable' : 'pass']),
  )
  expect(mirror.states.get('user-mfa-enrolled')).toMatchObject({ entities: 1, evaluatedAt: now })
})

it('opens, changes, resolves and reopens a finding', async () => {
  const mirror = soundMirror()
  mirror.put('roles', role())
  const put = (days: number) => mirror.put('api-clients', client({ secretExpirationDate: iso(now + days * dayMs) }))
  const kinds = () => mirror.events.map(({ kind }) => kind)
  put(20)
  const first = await evaluate(mirror)
  expect(first.get('api-client-secret-not-expiring')).toMatchObject({ status: 'fail', opened: 1 })
  await evaluate(mirror, { at: now + 60_000 })
  expect(kinds()).toEqual(['opened'])
  put(5)
  await evaluate(mirror)
  put(100)
  const third = await evaluate(mirror)
  expect(third.get('api-client-secret-not-expiring')).toMatchObject({ status: 'pass', resolved: { fixed: 1 } })
  put(20)
  await evaluate(mirror)
  expect(kinds()).toEqual(['opened', 'changed', 'resolved', 'reopened'])
  expect([...mirror.findings.values()]).toMatchObject([
    { entityId: 'c1', reopened: 1, severity: 'medium', resolution: null },
  ])
})

it('gives a finding the same fingerprint for the same tenant, check and entity, and no other', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', expired)
  await evaluate(mirror)
  const identity = { tenant: 'acme', check: 'api-client-secret-not-expired', entityType: 'api-client', entityId: 'c1' }
  expect([...mirror.findings.keys()]).toContain(fingerprintOf(identity))
  expect(fingerprintOf(identity)).toMatch(/^[0-9a-f]{32}$/)
  expect(fingerprintOf({ ...identity, tenant: 'acmea', check: 'pi-client-secret-not-expired' })).not.toBe(
    fingerprintOf(identity),
  )
})

it('replaces every band by the configured severity', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', expired)
  await evaluate(mirror, { changes: { checks: { 'api-client-secret-not-expired': { severity: 'info' } } } })
  const found = [...mirror.findings.values()].find(({ check }) => check === 'api-client-secret-not-expired')
  expect(found?.severity).toBe('info')
})

it('opens time-based findings on stale input, with status unknown', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', client({ secretExpirationDate: iso(now + dayMs) }))
  const outcomes = await evaluate(mirror, { at: now + 2 * dayMs })
  expect(outcomes.get('api-client-secret-not-expired')).toMatchObject({ status: 'unknown', reason: 'stale', opened: 1 })
})

it('opens findings about single records before the first complete full sync, but none that depend on absence', async () => {
  const mirror = soundMirror()
  mirror.quality['api-clients'].state = neverState('api-clients')
  mirror.quality.documents.state = neverState('documents')
  mirror.quality.roles.state = neverState('roles')
  mirror.put('api-clients', expired)
  const requirements = [{ id: 'soc2', pattern: '*' }]
  const outcomes = await evaluate(mirror, {
    changes: { checks: { 'document-required-present': { options: { requirements } } } },
  })
  expect(outcomes.get('api-client-secret-not-expired')).toMatchObject({ status: 'unknown', reason: 'never', opened: 1 })
  expect(outcomes.get('document-required-present')).toMatchObject({ status: 'unknown', reason: 'never', opened: 0 })
  expect(outcomes.get('api-client-role-active')).toMatchObject({ status: 'unknown', reason: 'never', opened: 0 })
})

it.each(['api-client-least-privilege', 'api-client-role-active', 'user-role-active'])(
  'opens nothing of %s while roles were never read, and not for what only a stale list lacks',
  async (check) => {
    const mirror = soundMirror()
    mirror.put('api-clients', client({ roleName: 'New' }))
    mirror.put('users', user({ roleName: 'New' }))
    mirror.quality.roles.state = neverState('roles')
    expect((await evaluate(mirror)).get(check)).toMatchObject({ status: 'unknown', reason: 'never', opened: 0 })
    resync(mirror, now - 30 * dayMs, ['roles'])
    expect((await evaluate(mirror)).get(check)).toMatchObject({ status: 'unknown', reason: 'stale', opened: 0 })
  },
)

it('does not pass by a document that is missing from the last complete full sync, and keeps the finding open', async () => {
  const mirror = soundMirror()
  const check = 'document-required-present'
  const changes = { checks: { [check]: { options: { requirements: [{ id: 'soc2', pattern: 'policy*' }] } } } }
  const evaluated = async () => (await evaluate(mirror, { changes })).get(check)
  expect(await evaluated()).toMatchObject({ status: 'fail' })
  mirror.put('documents', document())
  mirror.miss('documents', 'd1')
  expect(await evaluated()).toMatchObject({ status: 'unknown', reason: 'missing_records', resolved: {} })
  mirror.put('documents', document())
  expect(await evaluated()).toMatchObject({ status: 'pass', resolved: { fixed: 1 } })
})

it('has no number of entities before a complete full sync or without an evaluation', async () => {
  const mirror = soundMirror()
  mirror.quality.users.state = neverState('users')
  mirror.put('users', user({ state: 'Invited' }))
  const entities = () => mirror.states.get('user-invitation-accepted')?.entities
  await evaluate(mirror)
  expect(entities()).toBeNull()
  resync(mirror, now)
  await evaluate(mirror)
  expect(entities()).toBe(1)
  await evaluate(mirror, { changes: { resources: { users: { enabled: false } } } })
  expect(entities()).toBeNull()
  await evaluate(mirror, { changes: { checks: { 'user-invitation-accepted': { enabled: false } } } })
  expect(entities()).toBeNull()
})

it('is unknown while an entity cannot be evaluated, but fails if another one fails', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', client({ roleName: 'Gone' }))
  expect((await evaluate(mirror)).get('api-client-least-privilege')).toMatchObject({
    status: 'unknown',
    reason: 'ambiguous',
  })
  mirror.put('api-clients', client({ clientId: 'c2', roleName: 'Admin' }))
  mirror.put('roles', role({ name: 'Admin' }, ['Api_Users_Create']))
  expect((await evaluate(mirror)).get('api-client-least-privilege')).toMatchObject({ status: 'fail', reason: null })
})

it('does not apply to a resource that is switched off, whatever its state, and closes its findings', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', expired)
  await evaluate(mirror)
  const changes = { resources: { 'api-clients': { enabled: false } } }
  const outcomes = await evaluate(mirror, { at: now + 30 * dayMs, changes })
  expect(outcomes.get('api-client-secret-not-expired')).toMatchObject({ status: 'not_applicable', reason: null })
  expect(lifeOf(mirror, 'api-client-secret-not-expired')).toEqual({ c1: 'not_applicable' })
})

it('does not apply a check that is not configured, whatever the state of its inputs, and closes its findings', async () => {
  const mirror = soundMirror()
  const requirements = [{ id: 'soc2', pattern: 'SOC2*' }]
  const changes = { checks: { 'document-required-present': { options: { requirements } } } }
  const configured = await evaluate(mirror, { changes })
  expect(configured.get('document-required-present')).toMatchObject({ status: 'fail' })
  const outcomes = await evaluate(mirror, { at: now + 30 * dayMs })
  expect(outcomes.get('document-required-present')).toMatchObject({ status: 'not_applicable', reason: null })
  expect(lifeOf(mirror, 'document-required-present')).toEqual({ soc2: 'not_applicable' })
})

it('sets a check that throws to unknown, keeps its findings, logs the error and continues', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', expired)
  const [healthy] = checks.filter(({ id }) => id === 'api-client-secret-not-expired')
  if (healthy === undefined) throw new Error('The catalogue has no such check')
  const facts = {
    description: '',
    risk: '',
    remediation: '',
    alert: null,
    frameworks: '',
    title: '',
    needs: [],
    severities: ['low'],
  } as const
  const entity = { type: 'api-client', isRecord: true }
  let isBroken = false
  const fragile = defineCheck({
    ...facts,
    id: 'a-fragile-check',
    evaluates: 'api-clients',
    entity,
    timeBased: false,
    options: z.strictObject({}),
    begin: () => ({
      record() {
        if (isBroken) throw new TypeError('broken')
        return { kind: 'fails', severity: 'low', message: 'It fails.', evidence: {} }
      },
    }),
  })
  const errors: string[] = []
  const log = { ...silentLog(), error: (_fields: object, message: string) => void errors.push(message) }
  const catalogue = [fragile, healthy]
  await evaluate(mirror, { catalogue })
  isBroken = true
  const outcomes = await evaluate(mirror, { catalogue, log: { ...log, child: () => log } })
  expect(outcomes.get('a-fragile-check')).toMatchObject({
    status: 'unknown',
    reason: 'internal',
    opened: 0,
    resolved: {},
  })
  expect(outcomes.get(healthy.id)?.status).toBe('fail')
  expect(lifeOf(mirror, 'a-fragile-check')).toEqual({ c1: 'open' })
  expect(errors).toEqual(['Check could not be evaluated'])
})

it('evaluates only checks that read the synced resource', async () => {
  const outcomes = await evaluate(soundMirror(), { onlyInputs: ['roles'] })
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
  await expect(evaluate(soundMirror(), { signal })).rejects.toThrow('shutting down')
})

it('does not evaluate a disabled check, and resolves its findings', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', expired)
  await evaluate(mirror)
  const changes = { checks: { 'api-client-secret-not-expired': { enabled: false } } }
  const outcomes = await evaluate(mirror, { at: now + hourMs, changes })
  expect(outcomes.get('api-client-secret-not-expired')?.resolved).toEqual({ check_disabled: 1 })
  const again = await evaluate(mirror, { at: now + hourMs, changes })
  expect(again.has('api-client-secret-not-expired')).toBe(false)
})

it('shows no result of a disabled check without findings: a replica that has it switched on would show one nobody renews', async () => {
  const mirror = soundMirror()
  const before = (await evaluate(mirror)).get('api-client-secret-not-expired')?.status
  const changes = { checks: { 'api-client-secret-not-expired': { enabled: false } } }
  const at = now + secondMs
  expect((await evaluate(mirror, { at, changes })).get('api-client-secret-not-expired')?.status).toBe('unknown')
  expect((await evaluate(mirror, { at: at + secondMs, changes })).has('api-client-secret-not-expired')).toBe(false)
  expect((await evaluate(mirror, { at: at + secondMs })).get('api-client-secret-not-expired')?.status).toBe(before)
})

it('resolves findings of a check that no longer exists', async () => {
  const mirror = soundMirror()
  mirror.put('api-clients', expired)
  await evaluate(mirror)
  const catalogue = checks.filter(({ id }) => id !== 'api-client-secret-not-expired')
  await evaluate(mirror, { catalogue })
  expect(lifeOf(mirror, 'api-client-secret-not-expired')).toEqual({ c1: 'check_disabled' })
})

it('resolves all findings after settings change back', async () => {
  const mirror = soundMirror()
  mirror.put('authentication-settings', settings({ mfaEnabled: false }))
  await evaluate(mirror)
  mirror.put('authentication-settings', settings())
  resync(mirror, now + hourMs)
  const outcomes = await evaluate(mirror, { at: now + hourMs })
  expect(outcomes.get('auth-mfa-policy-enabled')).toMatchObject({ status: 'pass', resolved: { fixed: 1 } })
})
