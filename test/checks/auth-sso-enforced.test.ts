import { expect, it } from 'vitest'
import { authSsoEnforced as check } from '../../src/checks/auth-sso-enforced.ts'
import { brief, evaluator } from './support/evaluator.ts'
import { settings } from './support/facts.ts'

it.each([
  [true, true, []],
  [true, false, ['authentication-settings high']],
  [false, false, ['authentication-settings low']],
  [false, true, ['authentication-settings low']],
])('evaluates ssoEnabled %s with ssoEnforced %s', async (ssoEnabled, ssoEnforced, expected) => {
  const fields = settings({ ssoEnabled, ssoEnforced })
  expect(brief(await evaluator(check, (mirror) => mirror.put('authentication-settings', fields)))).toEqual(expected)
})

it('cannot evaluate settings that are not there', async () => {
  expect(await evaluator(check, () => {})).toMatchObject({ failures: [], notEvaluated: 1 })
})
