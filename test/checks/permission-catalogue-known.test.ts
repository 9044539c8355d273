import { expect, it } from 'vitest'
import { permissionCatalogueKnown as check } from '../../src/checks/permission-catalogue-known.ts'
import type { FakeMirror } from '../evaluate/support/fake-mirror.ts'
import { brief, evaluator } from './support/evaluator.ts'
import { role } from './support/facts.ts'

const permission = (permissionId: number, code: string) => ({ permissionId, name: code, module: null, code })

const fill = (mirror: FakeMirror) => {
  mirror.put('permissions', permission(1, 'Api_Users_Read'))
  mirror.put('roles', role())
  mirror.put('roles', role({ roleId: 2, name: 'Odd' }, ['Api_Users_Read', 'Secret_Thing', 'Other_Thing']))
  mirror.put('roles', role({ roleId: 3, name: 'Bare' }, []))
}

it('fails for each role that grants a code that is not in the permission list', async () => {
  const result = await evaluator(check, fill)
  expect(brief(result)).toEqual(['2 info'])
  expect(result).toMatchObject({ population: 3, notEvaluated: 0 })
  expect(result.failures[0]).toMatchObject({
    message: 'Role "Odd" (2) grants Other_Thing, Secret_Thing, not in the permission list.',
    evidence: { roleId: 2, unlisted: ['Other_Thing', 'Secret_Thing'], requestId: 'req-1', readAt: expect.any(String) },
  })
})

it('cannot evaluate a role with an unlisted code while permissions may be missing from the mirror', async () => {
  const result = await evaluator(check, fill, { incomplete: ['permissions'] })
  expect(result).toMatchObject({ failures: [], notEvaluated: 1 })
  expect([await result.scope('1'), await result.scope('2')]).toEqual(['evaluated', 'not_evaluated'])
})

it('compares codes as sent', async () => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('permissions', permission(1, 'api_users_read'))
    mirror.put('roles', role())
  })
  expect(brief(result)).toEqual(['1 info'])
})
