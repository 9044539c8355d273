import { expect, it } from 'vitest'
import { apiClientRoleActive as check } from '../../src/checks/api-client-role-active.ts'
import type { FakeMirror } from '../evaluate/support/fake-mirror.ts'
import { brief, evaluator, now } from './support/evaluator.ts'
import { client, role } from './support/facts.ts'

it.each([
  ['one active role of its name', [role()], [], null],
  ['no role of its name', [], ['c1 medium'], 'has the role name "Reader", which no role has.'],
  [
    'two roles of its name',
    [role(), role({ roleId: 2 })],
    ['c1 medium'],
    'has the role name "Reader", which 2 roles have.',
  ],
  ['an inactive role', [role({ state: 'Inactive' })], ['c1 medium'], 'whose role 1 is in state "Inactive".'],
  ['a role in a state nobody knows', [role({ state: 'active' })], ['c1 medium'], 'whose role 1 is in state "active".'],
])('evaluates a client with %s', async (_case, roles, expected, sentence) => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('api-clients', client())
    for (const one of roles) mirror.put('roles', one)
  })
  expect(brief(result)).toEqual(expected)
  if (sentence !== null) expect(result.failures[0]?.message).toContain(sentence)
})

it('cannot evaluate a client without a role name', async () => {
  const result = await evaluator(check, (mirror) => mirror.put('api-clients', client({ roleName: null })))
  expect(result).toMatchObject({ failures: [], population: 1, notEvaluated: 1 })
  expect(await result.scope('c1')).toBe('not_evaluated')
})

it('does not call a role missing while some roles cannot be read', async () => {
  const result = await evaluator(check, (mirror) => mirror.put('api-clients', client()), { incomplete: ['roles'] })
  expect(result).toMatchObject({ failures: [], notEvaluated: 1 })
})

it('does not call a role missing before roles are read after the client', async () => {
  const fill = (mirror: FakeMirror) => mirror.put('api-clients', client())
  const result = await evaluator(check, fill, { rolesReadAt: now - 1 })
  expect(result).toMatchObject({ failures: [], population: 1, notEvaluated: 1, unevaluated: ['c1'] })
  expect(await result.scope('c1')).toBe('not_evaluated')
})
