import { expect, it } from 'vitest'
import { userRoleActive as check } from '../../src/checks/user-role-active.ts'
import { hourMs } from '../../src/model/durations.ts'
import { brief, evaluator, now } from './support/evaluator.ts'
import { role, user } from './support/facts.ts'

const off = { state: 'Inactive' }
const known = { roleId: 1, roleName: 'Reader' }

it.each([
  ['an active role by id', known, [role()], ['1', []]],
  ['an inactive role by id', known, [role(off)], ['1', ['1 medium']]],
  ['an inactive role by id whose namesake is active', known, [role(off), role({ roleId: 2 })], ['1', ['1 medium']]],
  ['a role id that does not exist', known, [role({ roleId: 2 })], ['1', ['1 medium']]],
  [
    'an active role by id and an inactive one by name',
    { roleId: 1, roleName: 'Admin' },
    [role(), role({ ...off, roleId: 2, name: 'Admin' })],
    ['1', ['1 medium']],
  ],
  [
    'an active role by id and another active one by name',
    { roleId: 1, roleName: 'Admin' },
    [role(), role({ roleId: 2, name: 'Admin' })],
    ['1', []],
  ],
  ['one active role by name', {}, [role()], ['1', []]],
  ['an inactive role by name', {}, [role(off)], ['1', ['1 medium']]],
  ['a role name that no role has', {}, [], ['1', ['1 medium']]],
  ['two inactive roles by name', {}, [role(off), role({ ...off, roleId: 2 })], ['1', ['1 medium']]],
  ['two active roles by name', {}, [role(), role({ roleId: 2 })], ['1', []]],
  ['an active and an inactive role by name', {}, [role(), role({ ...off, roleId: 2 })], ['0', []]],
  ['neither role id nor name', { roleName: null }, [role()], ['0', []]],
] as const)('evaluates a user with %s', async (_case, fields, roles, [evaluated, expected]) => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('users', user(fields), { detailReadAt: now })
    for (const one of roles) mirror.put('roles', one)
  })
  expect(brief(result)).toEqual(expected)
  expect(result.notEvaluated).toBe(evaluated === '1' ? 0 : 1)
  expect(result.unevaluated).toEqual(evaluated === '1' ? [] : ['1'])
  expect(await result.scope('1')).toBe(evaluated === '1' ? 'evaluated' : 'not_evaluated')
})

it('does not know whether a role in an unknown state is active', async () => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('users', user())
    mirror.put('roles', role({ state: 'Suspended' }))
  })
  expect(result).toMatchObject({ notEvaluated: 1, failures: [] })
})

it('leaves invited users out', async () => {
  const result = await evaluator(check, (mirror) => mirror.put('users', user({ state: 'Invited', roleName: 'Gone' })))
  expect(result).toMatchObject({ population: 0, notEvaluated: 0, failures: [] })
  expect(await result.scope('1')).toBe('not_applicable')
})

const namesakes = [role(), role({ ...off, roleId: 2 })]

it.each<[string, number, Record<string, unknown> | undefined, string]>([
  ['24 hours ago', now - 24 * hourMs, undefined, '1 fails'],
  ['a millisecond earlier', now - 24 * hourMs - 1, undefined, '1 is unknown'],
  ['two hours ago where one is the limit', now - 2 * hourMs, { roleIdHours: 1 }, '1 is unknown'],
  ['in a future that the clock was set back from', now + hourMs, undefined, '1 is unknown'],
])('goes by the role id among namesakes when it was read %s', async (_case, detailReadAt, options, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('users', user({ roleId: 2 }), { detailReadAt })
    mirror.put('users', user({ userId: 2, roleId: 1 }), { detailReadAt: now })
    for (const one of namesakes) mirror.put('roles', one)
  }
  const result = await evaluator(check, fill, options && { options })
  const [failure] = result.failures
  expect(failure === undefined ? '1 is unknown' : `${failure.entityId} fails`).toBe(expected)
  expect(result).toMatchObject({ population: 2, notEvaluated: failure === undefined ? 1 : 0 })
  expect(await result.scope('1')).toBe(failure === undefined ? 'not_evaluated' : 'evaluated')
})

it('uses the role name when the role id was read too long ago', async () => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('users', user({ roleId: 7 }), { detailReadAt: now - 48 * hourMs })
    mirror.put('roles', role({ roleId: 8 }))
  })
  expect(result).toMatchObject({ population: 1, notEvaluated: 0, failures: [] })
})

it('does not call a role inactive by name while another role of that name may be missing from the mirror', async () => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('users', user())
    mirror.put('users', user({ userId: 2, roleId: 1 }), { detailReadAt: now })
    mirror.put('roles', role(off))
  }
  const result = await evaluator(check, fill, { incomplete: ['roles'] })
  expect(brief(result)).toEqual(['2 medium'])
  expect(result.notEvaluated).toBe(1)
  expect(await result.scope('1')).toBe('not_evaluated')
})

it('does not call a role missing while some roles cannot be read', async () => {
  const result = await evaluator(check, (mirror) => mirror.put('users', user(known), { detailReadAt: now }), {
    incomplete: ['roles'],
  })
  expect(result).toMatchObject({ failures: [], notEvaluated: 1 })
})
