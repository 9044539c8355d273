import { userRoleActive as check } from '../../src/checks/user-role-active.ts'
import { hourMs } from '../../src/model/time.ts'
import { itFinds } from './support/evaluator.ts'
import { changedSince, now, regranted, removed, renamed, role, user } from './support/facts.ts'
import { unclear, userRows } from './support/user-rows.ts'

const off = { state: 'Inactive' }
const known = { roleId: 1, roleName: 'Reader' }
const byOtherName = { roleId: 1, roleName: 'Admin' }
const second = { roleId: 2 }
const admin = { roleId: 2, name: 'Admin' }

const gone = { at: removed.at, changes: [{ ...removed.changes[0], key: '1', at: now + 1 }] }

const one = userRows('a user', now)

itFinds(check, [
  one('an active role by id', known, [role()], []),
  one('an inactive role by id', known, [role(off)], ['1 medium']),
  one('an inactive role by id whose namesake is active', known, [role(off), role(second)], ['1 medium']),
  one('a role id that does not exist', known, [role(second)], ['1 medium']),
  one('one that roles older than the user lack', known, [role(second)], [], {
    ...unclear,
    ...changedSince('users', '1', 'roleName'),
  }),
  one('an active role by id, an inactive one by name', byOtherName, [role(), role({ ...off, ...admin })], ['1 medium']),
  one('an active role by id and another active one by name', byOtherName, [role(), role(admin)], []),
  one('one active role by name', {}, [role()], []),
  one('a name that was given to another role since', {}, renamed.roles, [], { ...unclear, ...renamed }),
  one('a role by id that lost its name since', known, renamed.roles, [], { ...unclear, ...renamed }),
  one(
    'an inactive role by id that was only renamed since',
    known,
    [role({ ...off, name: 'Legacy' })],
    ['1 medium'],
    renamed,
  ),
  one('a role by id that changed since', known, [role(off)], [], { ...unclear, ...regranted }),
  one('a role by id that went since', known, [role(second)], [], { ...unclear, ...removed }),
  one('a role that went since its id was read, although the list was read again', known, [role(second)], [], {
    ...unclear,
    ...gone,
  }),
  one('one that went with its name', known, [role(admin)], ['1 medium'], gone),
  one('an inactive role by id while another one went', known, [role(off)], ['1 medium'], removed),
  one('an inactive role by name', {}, [role(off)], ['1 medium']),
  one('a role name that no role has', {}, [], ['1 medium']),
  one('two inactive roles by name', {}, [role(off), role({ ...off, ...second })], ['1 medium']),
  one('two active roles by name', {}, [role(), role(second)], []),
  one('an active and an inactive role by name', {}, [role(), role({ ...off, ...second })], [], unclear),
  one('neither role id nor name', { roleName: null }, [role()], [], unclear),
  one('a role in a state nobody knows', {}, [role({ state: 'Suspended' })], [], unclear),
  one('an invitation alone', { state: 'Invited', roleName: 'Gone' }, [], [], {
    population: 0,
    scope: { 1: 'not_applicable' },
  }),
  one('an inactive role by name while one may be missing', {}, [role(off)], [], { ...unclear, incomplete: ['roles'] }),
  one('an inactive role by id then', known, [role(off)], ['1 medium'], { incomplete: ['roles'] }),
  one('a missing role by id then', known, [], [], { ...unclear, incomplete: ['roles'] }),
])

const aged = (what: string, readAt: number, findings: readonly string[], more = {}) => {
  const fields = { ...(findings.length === 0 && unclear), ...more }
  const namesakes = [role(), role({ ...off, ...second })]
  return userRows('a user', readAt)(`a role id among namesakes read ${what}`, second, namesakes, findings, fields)
}

itFinds(check, [
  aged('24 hours ago', now - 24 * hourMs, ['1 medium']),
  aged('a millisecond earlier', now - 24 * hourMs - 1, []),
  aged('two hours ago where one is the limit', now - 2 * hourMs, [], { options: { roleIdHours: 1 } }),
  aged('in a future that the clock was set back from', now + hourMs, []),
  [
    'the role name when the role id was read too long ago',
    { users: [[user({ roleId: 7 }), { detailReadAt: now - 48 * hourMs }]], roles: [role({ roleId: 8 })] },
    [],
  ],
])
