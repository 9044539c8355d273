import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { type EnrolmentRule, enrolmentRules, isEnrolled, lacksEnrolment } from './support/enrolment.ts'
import { factsOf, mapBatches, onlyRecord, readingOf } from './support/records.ts'
import { quoted } from './support/words.ts'

const ruleNames = Object.keys(enrolmentRules) as [EnrolmentRule, ...EnrolmentRule[]]

export const userMfaEnrolled = defineCheck({
  id: 'user-mfa-enrolled',
  title: 'Every user is enrolled in multi-factor authentication where the policy demands it',
  description:
    "While the tenant's mfaEnabled is true, every user is enrolled; `enrolledWhen` says which of the flags mfaStatus and mfaAction mean that.",
  risk: 'A stolen password is enough to act as that user.',
  remediation: 'Have the user enrol a second factor, or withdraw the account.',
  alert: { name: 'MfaNotEnrolled', says: 'Users not enrolled in multi-factor authentication' },
  severities: ['low', 'high'],
  judges: 'users',
  needs: ['authentication-settings'],
  entity: { type: 'user', isRecord: true, hasPlainIds: true },
  timeBased: false,
  material: ['state', 'mfaStatus', 'mfaAction', 'roleName'],
  options: z.strictObject({ enrolledWhen: z.enum(ruleNames).default('mfaStatus') }),
  async load(reader, { enrolledWhen }) {
    const policy = await onlyRecord(reader, 'authentication-settings')
    const population = await reader.count('users')
    if (policy === null) return { population, candidates: [], notJudged: 1, scope: async () => 'not_judged' }
    if (policy.fields['mfaEnabled'] !== true) return { population, candidates: [], applicable: false }
    // Few groups are counted where many users are mirrored; none that fails needs no look at any of them.
    const groups = await reader.countBy('users', ['state', 'mfaStatus', 'mfaAction'])
    const lacking = lacksEnrolment(enrolledWhen, groups)
    const users = lacking.length === 0 ? [] : reader.select('users', { anyOf: lacking })
    return { population, candidates: mapBatches(users, (user) => ({ user, policy })) }
  },
  evaluate({ user, policy }, { enrolledWhen }) {
    const { state, mfaStatus, mfaAction } = user.fields
    if (isEnrolled(enrolledWhen, mfaStatus === true, mfaAction === true)) return null
    const flags = `mfaStatus ${mfaStatus}, mfaAction ${mfaAction}`
    return {
      entityId: user.key,
      severity: state === 'Invited' ? 'low' : 'high',
      message: `User ${user.key} (state ${quoted(String(state))}) is not enrolled in multi-factor authentication (${flags}) although the tenant's policy demands it.`,
      evidence: {
        ...factsOf(user, ['userId', 'state', 'mfaStatus', 'mfaAction', 'roleName']),
        enrolledWhen,
        policy: { mfaEnabled: true, ...readingOf(policy) },
      },
    }
  },
})
