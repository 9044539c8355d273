import { expect } from 'vitest'
import { permissionCatalogueKnown as check } from '../../src/checks/permission-catalogue-known.ts'
import { itFinds } from './support/evaluator.ts'
import { now, role } from './support/facts.ts'

const listed = (code: string) => [{ permissionId: 1, name: code, module: null, code }]
const records = {
  permissions: listed('Api_Users_Read'),
  roles: [
    role(),
    role({ roleId: 2, name: 'Odd' }, ['Api_Users_Read', 'Secret_Thing', 'Other_Thing']),
    role({ roleId: 3, name: 'Bare' }, []),
  ],
}

itFinds(check, [
  [
    'each role that grants a code that is not in the permission list',
    records,
    ['2 info'],
    {
      population: 3,
      evidence: {
        roleId: 2,
        unlisted: ['Other_Thing', 'Secret_Thing'],
        requestId: 'req-1',
        readAt: expect.any(String),
      },
      message: 'Role "Odd" (2) grants Other_Thing, Secret_Thing, not in the permission list.',
    },
  ],
  [
    'a role that was read later than the list',
    records,
    [],
    { rolesReadAt: now - 1, notEvaluated: 1, scope: { 1: 'evaluated', 2: 'not_evaluated' } },
  ],
  [
    'a role with an unlisted code while permissions may be missing from the mirror',
    records,
    [],
    { incomplete: ['permissions'], notEvaluated: 1, scope: { 1: 'evaluated', 2: 'not_evaluated' } },
  ],
  ['a code in other letters', { permissions: listed('api_users_read'), roles: [role()] }, ['1 info']],
])
