import { apiClientRoleActive as check } from '../../src/checks/api-client-role-active.ts'
import { itFinds } from './support/evaluator.ts'
import { changedSince, client, now, ofAnotherRole, renamed, role } from './support/facts.ts'

const clients = { 'api-clients': [client()] }
const unclear = { population: 1, notEvaluated: 1, scope: { c1: 'not_evaluated' } }

itFinds(check, [
  ['a client with one active role of its name', { ...clients, roles: [role()] }, []],
  ['no role of its name', clients, ['c1 medium'], { message: /which no role has\.$/ }],
  ['two roles of its name', { ...clients, roles: [role(), role({ roleId: 2 })] }, ['c1 medium']],
  ['an inactive role', { ...clients, roles: [role({ state: 'Inactive' })] }, ['c1 medium']],
  ['a role in a state nobody knows', { ...clients, roles: [role({ state: 'active' })] }, ['c1 medium']],
  ['a client without a role name', { 'api-clients': [client({ roleName: null })] }, [], unclear],
  ['a missing role while some cannot be read', clients, [], { ...unclear, incomplete: ['roles'] }],
  [
    'a missing role before roles are read after the client',
    clients,
    [],
    { ...unclear, ...changedSince('api-clients', 'c1', 'roleName') },
  ],
  ...ofAnotherRole,
  [
    'the new role of its name, of the same round',
    { ...clients, roles: renamed.roles },
    [],
    { ...renamed, changes: renamed.changes.map((change) => ({ ...change, at: now + 60_000 })) },
  ],
  ['the new role of its name, by a wrong clock', { ...clients, roles: renamed.roles }, [], { ...renamed, at: now }],
])
