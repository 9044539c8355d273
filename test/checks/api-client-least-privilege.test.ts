import { expect, it } from 'vitest'
import { apiClientLeastPrivilege as check } from '../../src/checks/api-client-least-privilege.ts'
import { brief, evaluator } from './support/evaluator.ts'
import { client, role } from './support/facts.ts'

const create = ['Api_Users_Read', 'Api_Users_Create']

it.each([
  ['only reads', ['Api_Users_Read'], {}, []],
  ['may create users', create, {}, ['c1 high']],
  ['may create users by another spelling', ['api_users_CREATE '], {}, ['c1 high']],
  ['may recreate reports', ['Api_Reports_Recreate'], {}, []],
  ['has a code that only contains the suffix', ['Api_Create_Read'], {}, []],
  ['has a code of another forbidden suffix', ['Api_Users_Delete'], { forbiddenSuffixes: ['_Delete'] }, ['c1 high']],
  ['may create users by its allow-list', create, { allowed: { C1: create } }, []],
  ['has a harmless code outside its allow-list', ['Api_Roles_Read'], { allowed: { c1: create } }, ['c1 high']],
  ['may create users while another client is listed', create, { allowed: { c2: create } }, ['c1 high']],
])('evaluates a client that %s', async (_case, codes, options, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('api-clients', client())
    mirror.put('roles', role({}, codes))
  }
  const result = await evaluator(check, fill, { options })
  expect(brief(result)).toEqual(expected)
  expect(result.notEvaluated).toBe(0)
})

it('finds the excess in any of several roles of the name, active or not', async () => {
  const { failures } = await evaluator(check, (mirror) => {
    mirror.put('api-clients', client())
    mirror.put('roles', role())
    mirror.put('roles', role({ roleId: 2, state: 'Inactive' }, create))
  })
  expect(failures).toHaveLength(1)
  expect(failures[0]?.message).toBe(
    'API client "CI sync" (c1) has excess permissions: its role "Reader" grants Api_Users_Create.',
  )
  expect(failures[0]?.evidence).toMatchObject({
    excess: ['Api_Users_Create'],
    roles: [{ roleId: 2, requestId: 'req-1' }],
  })
})

it('cannot evaluate a client whose role name no role has, or that has none', async () => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('api-clients', client({ roleName: 'Gone' }))
    mirror.put('api-clients', client({ clientId: 'c2', roleName: null }))
    mirror.put('api-clients', client({ clientId: 'c3' }))
    mirror.put('roles', role())
  })
  expect(result).toMatchObject({ failures: [], population: 3, notEvaluated: 2 })
  expect([await result.scope('c1'), await result.scope('c2'), await result.scope('c3')]).toEqual([
    'not_evaluated',
    'not_evaluated',
    'evaluated',
  ])
})

const ownOf = (options: Record<string, unknown>, codes: readonly string[], clientId = 'C1') => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('api-clients', client({ clientId }))
    mirror.put('roles', role({}, codes))
  }
  return evaluator(check, fill, { options, ownClientId: 'c1' })
}

it.each([
  ['only reads', ['Api_Users_Read', 'Api_Roles_Read'], {}, []],
  ['may create users', create, {}, ['c1 high']],
  ['has a code that is about no reading', ['Api_Users_Read', 'Api_Users_Export'], {}, ['c1 high']],
  ['has such a code in its allow-list', ['Api_Users_Export'], { allowed: { c1: ['Api_Users_Export'] } }, []],
  ['has a code that is called reading', ['Api_Users_Export'], { ownSuffixes: ['_Read', '_Export'] }, []],
])('holds the client of the daemon itself to reading where it %s', async (_case, codes, options, expected) => {
  expect(brief(await ownOf(options, codes))).toEqual(expected)
})

it('applies the rule for the own client to that client only', async () => {
  const codes = ['Api_Users_Export']
  const { failures } = await ownOf({}, codes)
  expect(failures[0]?.message).toBe(
    `API client "CI sync" (c1), tenantwatch's own client, has more than read permissions: its role "Reader" grants Api_Users_Export.`,
  )
  expect(failures[0]?.evidence).toMatchObject({ excess: codes, ownSuffixes: ['_Read'] })
  expect(brief(await ownOf({}, codes, 'c2'))).toEqual([])
})
