import { expect, it } from 'vitest'
import { authSettingsUnchanged as check } from '../../src/checks/auth-settings-unchanged.ts'
import { dayMs } from '../../src/model/durations.ts'
import type { FakeMirror } from '../evaluate/support/fake-mirror.ts'
import { brief, evaluator, now } from './support/evaluator.ts'
import { settings } from './support/facts.ts'

function changed(mirror: FakeMirror, field: string, before: unknown, after: unknown): void {
  const id = mirror.changes.length + 1
  const at = now - 10 * dayMs + id
  const row = { id, at, field, before, after, kind: 'changed', resource: 'authentication-settings', key: '0' } as const
  mirror.changes.push({ ...row, requestId: `req-${id}` })
}

const filled =
  (fields: Record<string, unknown>, changes: readonly [string, unknown, unknown][]) => (mirror: FakeMirror) => {
    mirror.put('authentication-settings', settings(fields))
    for (const [field, before, after] of changes) changed(mirror, field, before, after)
  }

it.each<[string, Record<string, unknown>, [string, unknown, unknown][], string[]]>([
  ['never changed', {}, [], []],
  ['lost its policy', { mfaEnabled: false }, [['mfaEnabled', true, false]], ['mfaEnabled critical']],
  ['gained a policy', {}, [['mfaEnabled', false, true]], ['mfaEnabled medium']],
  ['lost single sign-on', { ssoEnabled: false }, [['ssoEnabled', true, false]], ['ssoEnabled critical']],
  ['no longer enforces', { ssoEnforced: false }, [['ssoEnforced', true, false]], ['ssoEnforced critical']],
  ['has another provider', { providerType: 'Oidc' }, [['providerType', 'Saml', 'Oidc']], ['providerType medium']],
  [
    'went and came back',
    {},
    [
      ['mfaEnabled', true, false],
      ['mfaEnabled', false, true],
    ],
    [],
  ],
  [
    'changed twice',
    { providerType: null },
    [
      ['providerType', 'Saml', 'Oidc'],
      ['providerType', 'Oidc', null],
    ],
    ['providerType medium'],
  ],
])('evaluates settings that %s against the first state', async (_case, fields, changes, expected) => {
  const result = await evaluator(check, filled(fields, changes))
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(5)
})

it.each<[Record<string, unknown>, Record<string, unknown>, string[]]>([
  [{ mfaEnabled: true }, {}, []],
  [{ mfaEnabled: false }, {}, ['mfaEnabled medium']],
  [{ mfaEnabled: true }, { mfaEnabled: false }, ['mfaEnabled critical']],
  [{ providerType: null }, {}, ['providerType medium']],
  [{ providerType: 'Saml', tenantName: 'acme' }, {}, []],
])('evaluates against the baseline %j', async (baseline, fields, expected) => {
  expect(brief(await evaluator(check, filled(fields, []), { options: { baseline } }))).toEqual(expected)
})

it('passes a change that the baseline allows', async () => {
  const fill = filled({ mfaEnabled: false }, [['mfaEnabled', true, false]])
  expect(brief(await evaluator(check, fill, { options: { baseline: { mfaEnabled: false } } }))).toEqual([])
})

it('reports present value, expected value, date and requests', async () => {
  const { failures } = await evaluator(check, filled({ providerType: 'Oidc' }, [['providerType', 'Saml', 'Oidc']]))
  expect(failures[0]?.message).toBe(
    'The type of the identity provider was changed on 2026-02-19: providerType "Saml" → "Oidc", against the first state mirrored.',
  )
  expect(failures[0]?.evidence).toMatchObject({ present: 'Oidc', expected: 'Saml', changes: [{ requestId: 'req-1' }] })
})

it('measures drift from the state an operator accepted, and reports time and reason', async () => {
  const fill = filled({ providerType: 'Ldap' }, [['providerType', 'Saml', 'Ldap']])
  const accept = (state: unknown) => evaluator(check, fill, { accepted: { providerType: { state, reason: 'Agreed' } } })
  const agreed = await accept('Ldap')
  expect(brief(agreed)).toEqual([])
  expect([await agreed.scope('providerType'), await agreed.scope('mfaEnabled')]).toEqual(['accepted', 'evaluated'])
  const { failures } = await accept('Oidc')
  expect(failures[0]?.message).toContain('providerType "Oidc" → "Ldap", against the state last accepted')
  const evidence = { expected: 'Oidc', acceptedFor: 'Agreed', acceptedAt: '2026-03-01T12:00:00.000Z' }
  expect(failures[0]?.evidence).toMatchObject(evidence)
})
