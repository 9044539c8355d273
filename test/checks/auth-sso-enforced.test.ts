import { authSsoEnforced as check } from '../../src/checks/auth-sso-enforced.ts'
import { itFinds } from './support/evaluator.ts'
import { settings } from './support/facts.ts'

const being = (ssoEnabled: boolean, ssoEnforced: boolean) => ({
  'authentication-settings': [settings({ ssoEnabled, ssoEnforced })],
})

itFinds(check, [
  ['single sign-on that is enforced', being(true, true), []],
  ['single sign-on that is not enforced', being(true, false), ['authentication-settings high']],
  ['no single sign-on', being(false, false), ['authentication-settings low']],
  ['enforcing without single sign-on', being(false, true), ['authentication-settings low']],
  ['settings that are not there', {}, [], { notEvaluated: 1 }],
])
