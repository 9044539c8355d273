import { apiClientLeastPrivilege as check } from '../../src/checks/api-client-least-privilege.ts'
import { itFinds } from './support/evaluator.ts'
import { client, role } from './support/facts.ts'

const create = ['Api_Users_Read', 'Api_Users_Create']
const exporting = ['Api_Users_Export']

/** A client whose role grants these codes. */
const granted = (codes: readonly string[], clientId = 'C1') => ({
  'api-clients': [client({ clientId })],
  roles: [role({}, codes)],
})

itFinds(check, [
  ['a client that only reads', granted(['Api_Users_Read']), []],
  ['one that may create users', granted(create), ['c1 high']],
  ['one that may create users by another spelling', granted(['api_users_CREATE ']), ['c1 high']],
  ['one that may recreate reports', granted(['Api_Reports_Recreate']), []],
  ['a code that only contains the suffix', granted(['Api_Create_Read']), []],
  [
    'another forbidden suffix',
    granted(['Api_Users_Delete']),
    ['c1 high'],
    { options: { forbiddenSuffixes: ['_Delete'] } },
  ],
  ['one that may create users by its allow-list', granted(create), [], { options: { allowed: { C1: create } } }],
  [
    'a code outside of its allow-list',
    granted(['Api_Roles_Read']),
    ['c1 high'],
    { options: { allowed: { c1: create } } },
  ],
  ['another client in the list', granted(create), ['c1 high'], { options: { allowed: { c2: create } } }],
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

const ownClientId = 'c1'

itFinds(check, [
  ['the own client that only reads', granted(['Api_Users_Read', 'Api_Roles_Read']), [], { ownClientId }],
  ['the own client that may create users', granted(create), ['c1 high'], { ownClientId }],
  [
    'the own client with a code that is about no reading',
    granted(exporting),
    ['c1 high'],
    {
      ownClientId,
      evidence: { excess: exporting, ownSuffixes: ['_Read'] },
      message: /tenantwatch's own client, has more than read permissions: its role "Reader" grants Api_Users_Export\.$/,
    },
  ],
  ['such a code in its allow-list', granted(exporting), [], { ownClientId, options: { allowed: { c1: exporting } } }],
  [
    'a code that is called reading',
    granted(exporting),
    [],
    { ownClientId, options: { ownSuffixes: ['_Read', '_Export'] } },
  ],
  ['another client than the own one', granted(exporting, 'C2'), [], { ownClientId }],
])
