import * as z from 'zod'
import { ok, type RuleContext } from '../evaluate/check.ts'
import { authMfaPolicyEnabled } from './auth-mfa-policy-enabled.ts'
import { authSettingsUnchanged, configuredMfaPolicy, expectedMfaPolicy } from './auth-settings-unchanged.ts'
import { defineCheck } from './support/define-check.ts'
import { assumedRule, type EnrolmentRule, enrolmentRules, isEnrolled } from './support/enrolment.ts'
import { identifiedFacts, plainOrQuoted, readingOf } from './support/records.ts'
import { isWithoutSso } from './support/settings.ts'

const ruleNames = Object.keys(enrolmentRules) as [EnrolmentRule, ...EnrolmentRule[]]

export const userMfaEnrolled = defineCheck({
  id: 'user-mfa-enrolled',
  title: 'Every user is enrolled in multi-factor authentication where the policy demands it',
  failing: [
    'user is not enrolled in multi-factor authentication',
    'users are not enrolled in multi-factor authentication',
  ],
  description:
    "While the tenant's mfaEnabled is true, or should be by auth-settings-unchanged, every user is enrolled. `enrolledWhen` sets which values of the flags mfaStatus and mfaAction mean that a user is enrolled, such as `not mfaAction`; until it is set, mfaStatus true is assumed.",
  risk: 'A stolen password is enough to act as that user.',
  remediation: 'Have the user enrol a second factor, or withdraw the account.',
  alert: 'MfaNotEnrolled',
  frameworks: 'soc2 CC6.1 CC6.6, iso27001 A.8.5, nist80053 IA-2(1) IA-2(2), pcidss 8.4.1 8.4.2, cis 6.3 6.5',
  severities: ['low', 'high'],
  evaluates: 'users',
  needs: ['authentication-settings'],
  notEvaluatedWhere:
    'the settings are not in the mirror, or the tenant has no SSO and withoutSso of auth-mfa-policy-enabled is unknown',
  material: ['state', 'mfaStatus', 'mfaAction', 'roleName'],
  // Null = not set: `assumedRule` applies, and every output reports the assumption.
  options: z.strictObject({ enrolledWhen: z.enum(ruleNames).nullable().default(null) }),
  assumption: ({ enrolledWhen }) =>
    enrolledWhen === null
      ? `Assumed: ${assumedRule} true means enrolled. The API does not define the two flags, and checks.user-mfa-enrolled.enrolledWhen is not set`
      : null,
  ruleContext: ({ optionsOf }) => [isPlaceholderUnknown(optionsOf), configuredMfaPolicy(optionsOf)],
  acceptedOf: authSettingsUnchanged.id,
  begin({ enrolledWhen }, context) {
    const { needed, optionsOf } = context
    const [policy] = needed('authentication-settings')
    // The policy is unknown, so users neither pass nor are out of scope.
    if (policy === undefined || (isWithoutSso(policy) && isPlaceholderUnknown(optionsOf)))
      return { record: () => ({ kind: 'not_evaluated' }) }
    const { mfaEnabled } = policy.fields
    // Switching the policy off resolves nothing until an operator has accepted that.
    if (mfaEnabled !== true && expectedMfaPolicy(context) !== true)
      return { record: () => ({ kind: 'not_applicable' }) }
    const shared = {
      enrolledWhen: enrolledWhen ?? assumedRule,
      enrolledWhenAssumed: enrolledWhen === null,
      policy: { mfaEnabled, ...(mfaEnabled !== true && { expected: true }), ...readingOf(policy) },
    }
    return {
      record(user) {
        const { state, mfaStatus, mfaAction } = user.fields
        if (isEnrolled(shared.enrolledWhen, mfaStatus === true, mfaAction === true)) return ok
        const flags = `mfaStatus ${mfaStatus}, mfaAction ${mfaAction}`
        return {
          kind: 'fails',
          severity: state === 'Invited' ? 'low' : 'high',
          message: `User ${user.key} (${plainOrQuoted(String(state))}) is not enrolled in MFA: ${flags}.`,
          evidence: {
            ...identifiedFacts(user, ['userId', 'state', 'mfaStatus', 'mfaAction', 'roleName']),
            ...shared,
          },
        }
      },
    }
  },
})

/** True when auth-mfa-policy-enabled reads `mfaEnabled` of a tenant without SSO as a placeholder. */
function isPlaceholderUnknown(optionsOf: RuleContext['optionsOf']): boolean {
  return optionsOf(authMfaPolicyEnabled.id)['withoutSso'] === 'unknown'
}
