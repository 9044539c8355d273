import { assumedRule, type EnrolmentRule, enrolmentRules, isEnrolled } from '../checks/support/enrolment.ts'
import { userMfaEnrolled } from '../checks/user-mfa-enrolled.ts'
import { settingsOf } from '../evaluate/check.ts'
import { withoutEmails } from '../model/text/redact.ts'
import type { Mirror } from '../store/port.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'
import type { ExaminedTenant } from './identity.ts'

const subject = 'enrolledWhen'
const maxNamed = 4
const rules = Object.keys(enrolmentRules) as readonly EnrolmentRule[]

/**
 * The mirror's users by their multi-factor flags, as `checks.user-mfa-enrolled.enrolledWhen` reads them. If nobody is
 * enrolled, usually the rule is wrong.
 */
export async function diagnoseEnrolment({ mirror, row, tenant }: ExaminedTenant): Promise<Diagnosis> {
  const { enrolledWhen: written } = userMfaEnrolled.options.parse(settingsOf(userMfaEnrolled, tenant).options)
  const enrolledWhen = rules.find((rule) => rule === written) ?? assumedRule
  const groups = await readGroups(mirror, row.id)
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return fine(subject, 'no users are mirrored yet')
  const by = (rule: EnrolmentRule) =>
    groups.reduce((sum, one) => sum + (isEnrolled(rule, one.mfaStatus, one.mfaAction) ? one.count : 0), 0)
  const enrolled = by(enrolledWhen)
  const reading = `"${enrolledWhen}"${written === null ? ' (assumed)' : ''}`
  const counts = groups.map(
    ({ state, mfaStatus, mfaAction, count }) => `${count} ${state} with mfaStatus ${mfaStatus}, mfaAction ${mfaAction}`,
  )
  if (enrolled > 0) return fine(subject, `by ${reading} ${enrolled} of ${all} users are enrolled: ${counts.join('; ')}`)
  const others = rules
    .filter((rule) => by(rule) > 0)
    .slice(0, maxNamed)
    .map((rule) => `; by "${rule}" ${by(rule)}`)
  return warning(
    subject,
    `by ${reading} none of ${all} users is enrolled${others.join('')}: ${counts.join('; ')}`,
    'Compare users you know with "tenantwatch export users" and set checks.user-mfa-enrolled.enrolledWhen',
  )
}

/** The mirror may be another tenant's. */
export const enrolmentUnchecked: Diagnosis = warning(
  subject,
  "not checked: the users in the mirror may be another tenant's",
  'Run the doctor again after the identity of the tenant is confirmed',
)

async function readGroups(mirror: Mirror, tenantId: number) {
  const { fields = [], groups = [] } = (await mirror.recordCounts(tenantId)).get('users') ?? {}
  return groups.map(({ values, count }) => {
    const valueIn = (field: string) => values[fields.indexOf(field)]
    const isTrue = (field: string) => valueIn(field) === true
    return {
      state: withoutEmails(String(valueIn('state'))),
      mfaStatus: isTrue('mfaStatus'),
      mfaAction: isTrue('mfaAction'),
      count,
    }
  })
}
