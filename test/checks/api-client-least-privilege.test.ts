import { apiClientLeastPrivilege as check } from '../../src/checks/api-client-least-privilege.ts'
import { itFinds } from './support/evaluator.ts'
import { changedSince, client, now, ofAnotherRole, role } from './support/facts.ts'

const ownClientId = '00000000-0000-4000-8000-0000000000c1'
const failing = `${ownClientId} high`
const create = ['Api_Users_Read', 'Api_Users_Create']
const unclear = { population: 1, notEvaluated: 1, scope: { [ownClientId]: 'not_evaluated' } }
const exporting = ['Api_Users_Export']
const allowing = (id: string, codes = create) => ({ options: { allowed: { [id]: codes } } })

/** A client whose role grants these codes. */
const granted = (codes: readonly string[], clientId = ownClientId) => ({
  'api-clients': [client({ clientId })],
  roles: [role({}, codes)],
})

itFinds(check, [
  ['a client that only reads', granted(['Api_Users_Read']), []],
  ['one that may create users', granted(create), [failing]],
  ['one that may create users by another spelling', granted(['api_users_CREATE ']), [failing]],
  ['one that may recreate reports', granted(['Api_Reports_Recreate']), []],
  ['a code that only contains the suffix', granted(['Api_Create_Read']), []],
  [
    'another forbidden suffix',
    granted(['Api_Users_Delete']),
    [failing],
    { options: { forbiddenSuffixes: ['_Delete'] } },
  ],
  ['one that may create users by its allow-list', granted(create), [], allowing(`{${ownClientId.toUpperCase()}}`)],
  ['a code outside of its allow-list', granted(['Api_Roles_Read']), [failing], allowing(ownClientId)],
  ['another client in the list', granted(create), [failing], allowing(ownClientId.replace('c1', 'c2'))],
  [
    'any of several roles of the name, active or not',
    { 'api-clients': [client()], roles: [role(), role({ roleId: 2, state: 'Inactive' }, create)] },
    ['c1 high'],
    { evidence: { excess: ['Api_Users_Create'], roles: [{ roleId: 2, requestId: 'req-1' }] } },
  ],
  [
    'clients whose role name no role has, or that have none',
    {
      'api-clients': [
        client({ roleName: 'Gone' }),
        client({ clientId: 'c2', roleName: null }),
        client({ clientId: 'c3' }),
      ],
      roles: [role()],
    },
    [],
    { population: 3, notEvaluated: 2, scope: { c1: 'not_evaluated', c2: 'not_evaluated', c3: 'evaluated' } },
  ],
])

itFinds(check, [
  ['the own client that only reads', granted(['Api_Users_Read', 'Api_Roles_Read']), [], { ownClientId }],
  ['the own client that may create users', granted(create), [failing], { ownClientId }],
  [
    'the own client with a code that is about no reading',
    granted(exporting),
    [failing],
    {
      ownClientId,
      evidence: { excess: exporting, ownSuffixes: ['_Read'] },
      message: /tenantwatch's own client, has more than read permissions: its role "Reader" grants Api_Users_Export\.$/,
    },
  ],
  ['such a code in its allow-list', granted(exporting), [], { ownClientId, ...allowing(ownClientId, exporting) }],
  [
    'a code that is called reading',
    granted(exporting),
    [],
    { ownClientId, options: { ownSuffixes: ['_Read', '_Export'] } },
  ],
  ['another client than the own one', granted(exporting, 'C2'), [], { ownClientId }],
  ...ofAnotherRole,
  [
    'a client that got its role name since roles were read',
    granted(['Api_Users_Read']),
    [],
    { ...unclear, ...changedSince('api-clients', ownClientId, 'roleName') },
  ],
  [
    'a client whose secret was rotated since roles were read',
    granted(create),
    [failing],
    changedSince('api-clients', ownClientId, 'secretExpirationDate'),
  ],
  ['a client that was read by a clock that was ahead', granted(['Api_Users_Read']), [], { at: now - 120_000 }],
  [
    'a client that was read over a minute before the first roles',
    granted(create),
    [],
    { ...unclear, at: now + 120_000, rolesFirstReadAt: now + 61_000 },
  ],
])
