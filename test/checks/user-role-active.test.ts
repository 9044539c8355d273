import { expect, it } from 'vitest'
import { userRoleActive as check } from '../../src/checks/user-role-active.ts'
import { role, user } from './support/facts.ts'
import { brief, judge } from './support/judging.ts'

const off = { state: 'Inactive' }
const known = { roleId: 1, roleName: 'Reader' }

it.each([
  ['an active role by id', known, [role()], ['1', []]],
  ['an inactive role by id', known, [role(off)], ['1', ['1 medium']]],
  ['an inactive role by id whose namesake is active', known, [role(off), role({ roleId: 2 })], ['1', ['1 medium']]],
  ['a role id that does not exist', known, [role({ roleId: 2 })], ['1', ['1 medium']]],
  ['one active role by name', {}, [role()], ['1', []]],
  ['an inactive role by name', {}, [role(off)], ['1', ['1 medium']]],
  ['a role name that no role has', {}, [], ['1', ['1 medium']]],
  ['two inactive roles by name', {}, [role(off), role({ ...off, roleId: 2 })], ['1', ['1 medium']]],
  ['two active roles by name', {}, [role(), role({ roleId: 2 })], ['1', []]],
  ['an active and an inactive role by name', {}, [role(), role({ ...off, roleId: 2 })], ['0', []]],
  ['neither role id nor name', { roleName: null }, [role()], ['0', []]],
] as const)('judges a user with %s', async (_case, fields, roles, [judged, expected]) => {
  const result = await judge(check, (mirror) => {
    mirror.put('users', user(fields))
    for (const one of roles) mirror.put('roles', one)
  })
  expect(brief(result)).toEqual(expected)
  expect(result.notJudged).toBe(judged === '1' ? 0 : 1)
  expect(await result.scope('1')).toBe(judged === '1' ? 'judged' : 'not_judged')
})

it('leaves invited users out', async () => {
  const result = await judge(check, (mirror) => mirror.put('users', user({ state: 'Invited', roleName: 'Gone' })))
  expect(result).toMatchObject({ population: 0, notJudged: 0, failures: [] })
  expect(await result.scope('1')).toBe('not_applicable')
})

it('does not call a role missing while some roles cannot be read', async () => {
  const result = await judge(check, (mirror) => mirror.put('users', user(known)), { partial: ['roles'] })
  expect(result).toMatchObject({ failures: [], notJudged: 1 })
})

it.each([
  [known, [role(off)], 'User 1 has role 1, which is in state "Inactive".'],
  [known, [], 'User 1 has role 1, which does not exist.'],
  [{}, [], 'User 1 has the role name "Reader", which does not exist.'],
  [
    {},
    [role(off), role({ ...off, roleId: 2 })],
    'User 1 has the role name "Reader", whose 2 roles are in state "Inactive".',
  ],
])('says what is wrong with the role', async (fields, roles, sentence) => {
  const { failures } = await judge(check, (mirror) => {
    mirror.put('users', user(fields))
    for (const one of roles) mirror.put('roles', one)
  })
  expect(failures[0]?.message).toBe(sentence)
})
