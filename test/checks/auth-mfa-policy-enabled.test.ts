import { expect, it } from 'vitest'
import { authMfaPolicyEnabled as check } from '../../src/checks/auth-mfa-policy-enabled.ts'
import { settings } from './support/facts.ts'
import { brief, judge } from './support/judging.ts'

it.each([
  [true, []],
  [false, ['authentication-settings high']],
])('judges a policy of mfaEnabled %s', async (mfaEnabled, expected) => {
  const result = await judge(check, (mirror) => mirror.put('authentication-settings', settings({ mfaEnabled })))
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(1)
})

it('cannot judge settings that are not there', async () => {
  expect(await judge(check, () => {})).toMatchObject({ failures: [], notJudged: 1 })
})
