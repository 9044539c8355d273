import { expect, it } from 'vitest'
import { userLeastPrivilege as check } from '../../src/checks/user-least-privilege.ts'
import { hourMs } from '../../src/model/time.ts'
import { itFinds } from './support/evaluator.ts'
import { now, renamed, role } from './support/facts.ts'
import { unclear, userRows } from './support/user-rows.ts'

const options = { allowed: ['Api_Users_Read'] }
const wide = (fields: Record<string, unknown> = {}) => role(fields, ['Api_Users_Read', 'Api_Users_Create'])
const known = { roleId: 1, roleName: 'Reader' }
const byOtherName = { roleId: 1, roleName: 'Admin' }
const admin = { roleId: 2, name: 'Admin' }

const one = userRows('an active user', now - hourMs, { options })

itFinds(check, [
  one('a role within the list', {}, [role()], []),
  one('a role that grants more', {}, [wide()], ['1 high'], {
    evidence: {
      ...{ excess: ['Api_Users_Create'], allowed: ['Api_Users_Read'], requestId: 'req-1', readAt: expect.any(String) },
      roles: [{ roleId: 1, requestId: 'req-1' }],
    },
  }),
  one('an inactive role that grants more', {}, [wide({ state: 'Inactive' })], ['1 high']),
  one('a role by id that grants more, whose namesake does not', known, [wide(), role({ roleId: 2 })], ['1 high']),
  one('a role by name of which one of two grants more', {}, [wide(), role({ roleId: 2 })], [], unclear),
  one('two roles by name that both grant more', {}, [wide(), wide({ roleId: 2 })], ['1 high']),
  one('a role name that no role has', {}, [], [], unclear),
  one('a name that was given to another role since', {}, renamed.roles, [], { ...unclear, ...renamed }),
  one('a role by id whose namesake by his name grants more', byOtherName, [role(), wide(admin)], ['1 high']),
  one(
    'a role by id that grants more than that of his name',
    { roleId: 2, roleName: 'Reader' },
    [role(), wide(admin)],
    ['1 high'],
  ),
  one('a role by id that was renamed', byOtherName, [role(), wide({ roleId: 2 })], []),
  one('a role id that does not exist', known, [role({ roleId: 2 })], [], unclear),
  one('a role by name while roles may be missing', {}, [role()], [], { ...unclear, incomplete: ['roles'] }),
  one('an invitation alone', { state: 'Invited' }, [wide()], [], { population: 0, scope: { 1: 'not_applicable' } }),
  one('a state in other letters', { state: 'active' }, [wide()], ['1 high']),
  one('a state nobody knows', { state: 'Locked' }, [wide()], ['1 high']),
])

it('is configured with a list, also an empty one', () => {
  const isConfigured = (given: object) => check.isConfigured?.(check.options.parse(given))
  expect([isConfigured({}), isConfigured({ allowed: [] })]).toEqual([false, true])
})
