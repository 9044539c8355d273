import { expect, it } from 'vitest'
import { userLeastPrivilege as check } from '../../src/checks/user-least-privilege.ts'
import { hourMs } from '../../src/model/durations.ts'
import { brief, evaluator, now } from './support/evaluator.ts'
import { role, user } from './support/facts.ts'

const options = { allowed: ['Api_Users_Read'] }
const wide = (fields: Record<string, unknown> = {}) => role(fields, ['Api_Users_Read', 'Api_Users_Create'])
const known = { roleId: 1, roleName: 'Reader' }

it.each([
  ['a role within the list', {}, [role()], [], 0],
  ['a role that grants more', {}, [wide()], ['1 high'], 0],
  ['an inactive role that grants more', {}, [wide({ state: 'Inactive' })], ['1 high'], 0],
  ['a role by id that grants more, whose namesake does not', known, [wide(), role({ roleId: 2 })], ['1 high'], 0],
  ['a role by name of which one of two grants more', {}, [wide(), role({ roleId: 2 })], [], 1],
  ['two roles by name that both grant more', {}, [wide(), wide({ roleId: 2 })], ['1 high'], 0],
  ['a role name that no role has', {}, [], [], 1],
  [
    'a role by id whose namesake by the user’s name grants more',
    { roleId: 1, roleName: 'Admin' },
    [role(), wide({ roleId: 2, name: 'Admin' })],
    ['1 high'],
    0,
  ],
  [
    'a role by id that grants more than that of the user’s name',
    { roleId: 2, roleName: 'Reader' },
    [role(), wide({ roleId: 2, name: 'Admin' })],
    ['1 high'],
    0,
  ],
  ['a role by id that was renamed', { roleId: 1, roleName: 'Admin' }, [role(), wide({ roleId: 2 })], [], 0],
  ['a role id that does not exist', known, [role({ roleId: 2 })], [], 1],
] as const)('evaluates an active user with %s', async (_case, fields, roles, expected, notEvaluated) => {
  const result = await evaluator(
    check,
    (mirror) => {
      mirror.put('users', user(fields), { detailReadAt: now - hourMs })
      for (const one of roles) mirror.put('roles', one)
    },
    { options },
  )
  expect(brief(result)).toEqual(expected)
  expect(result).toMatchObject({ population: 1, notEvaluated })
  expect(await result.scope('1')).toBe(notEvaluated === 0 ? 'evaluated' : 'not_evaluated')
})

it('is configured with a list, also an empty one', () => {
  const isConfigured = (given: object) => check.isConfigured?.(check.options.parse(given))
  expect([isConfigured({}), isConfigured({ allowed: [] })]).toEqual([false, true])
})

it.each([
  ['Invited', 0],
  ['Active', 1],
  ['active', 1],
  ['Locked', 1],
])('evaluates users but invited ones: state %s', async (state, population) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('users', user({ state }))
    mirror.put('roles', wide())
  }
  const result = await evaluator(check, fill, { options })
  expect(result.population).toBe(population)
  expect(result.failures).toHaveLength(population)
  expect(await result.scope('1')).toBe(population === 0 ? 'not_applicable' : 'evaluated')
})

it('cannot evaluate by name while roles may be missing from the mirror', async () => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('users', user())
    mirror.put('roles', role())
  }
  expect(await evaluator(check, fill, { options, incomplete: ['roles'] })).toMatchObject({
    notEvaluated: 1,
    failures: [],
  })
})

it('names the excess codes and the requests', async () => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('users', user())
    mirror.put('roles', wide())
  }
  const { failures } = await evaluator(check, fill, { options })
  expect(failures[0]?.message).toBe('User 1 has excess permissions: the role name "Reader" grants Api_Users_Create.')
  expect(failures[0]?.evidence).toMatchObject({
    excess: ['Api_Users_Create'],
    allowed: ['Api_Users_Read'],
    requestId: 'req-1',
    readAt: expect.any(String),
    roles: [{ roleId: 1, requestId: 'req-1' }],
  })
  expect(JSON.stringify(failures)).not.toMatch(/Ada|Lovelace|example\.com/)
})
