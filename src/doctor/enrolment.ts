import { assumedRule, type EnrolmentRule, enrolmentRules, isEnrolled } from '../checks/support/enrolment.ts'
import { userMfaEnrolled } from '../checks/user-mfa-enrolled.ts'
import type { TenantSettings } from '../config/settings.ts'
import { settingsOf } from '../evaluate/check-settings.ts'
import type { Mirror } from '../store/port.ts'
import type { RecordReader } from '../store/records/query.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

/** The mirror's users by their multi-factor flags, as `checks.user-mfa-enrolled.enrolledWhen` reads them. */
export interface Enrolment {
  readonly enrolledWhen: EnrolmentRule
  /** True while `enrolledWhen` is not set. */
  readonly assumed: boolean
  /** Whether the tenant requires multi-factor authentication; null before its settings were read. */
  readonly policy: boolean | null
  readonly groups: readonly EnrolmentGroup[]
}

export interface EnrolmentGroup {
  readonly state: string
  readonly mfaStatus: boolean
  readonly mfaAction: boolean
  readonly count: number
  readonly enrolled: boolean
}

const subject = 'enrolledWhen'
const maxNamed = 4
const rules = Object.keys(enrolmentRules) as readonly EnrolmentRule[]

export async function readEnrolment(mirror: Mirror, tenantId: number, tenant: TenantSettings): Promise<Enrolment> {
  const { enrolledWhen: written } = userMfaEnrolled.options.parse(settingsOf(userMfaEnrolled, tenant).options)
  const enrolledWhen = rules.find((rule) => rule === written) ?? assumedRule
  const { fields = [], groups: counted = [] } = (await mirror.recordCounts(tenantId)).get('users') ?? {}
  const groups = counted.map(({ values, count }) => {
    const valueIn = (field: string) => values[fields.indexOf(field)]
    const state = valueIn('state')
    const flags = { mfaStatus: valueIn('mfaStatus') === true, mfaAction: valueIn('mfaAction') === true }
    const enrolled = isEnrolled(enrolledWhen, flags.mfaStatus, flags.mfaAction)
    return { state: String(state), ...flags, count, enrolled }
  })
  return {
    enrolledWhen,
    assumed: written === null,
    policy: await policyOf(mirror.records(tenantId)),
    groups: groups.toSorted(byFlags),
  }
}

/** If nobody is enrolled, usually the rule is wrong. Null: the mirror may be another tenant's. */
export function diagnoseEnrolment(enrolment: Enrolment | null): Diagnosis {
  if (enrolment === null) {
    const advice = 'Run the doctor again after the identity of the tenant is confirmed'
    return warning(subject, "not checked: the users in the mirror may be another tenant's", advice)
  }
  const { enrolledWhen, groups } = enrolment
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return fine(subject, 'no users are mirrored yet')
  const by = (rule: EnrolmentRule) =>
    groups.reduce((sum, group) => sum + (isEnrolled(rule, group.mfaStatus, group.mfaAction) ? group.count : 0), 0)
  const enrolled = by(enrolledWhen)
  if (enrolled > 0) return fine(subject, `by "${enrolledWhen}" ${enrolled} of ${all} users are enrolled`)
  const others = rules
    .filter((rule) => by(rule) > 0)
    .slice(0, maxNamed)
    .map((rule) => `"${rule}" ${by(rule)}`)
  const instead = others.length === 0 ? '' : `; by ${others.join(', by ')}`
  return warning(
    subject,
    `by "${enrolledWhen}" none of ${all} users is enrolled${instead}`,
    'Compare users you know with "tenantwatch export users" and set checks.user-mfa-enrolled.enrolledWhen',
  )
}

async function policyOf(records: RecordReader): Promise<boolean | null> {
  for await (const [settings] of records.select('authentication-settings')) {
    if (settings !== undefined) return settings.fields['mfaEnabled'] === true
  }
  return null
}

function byFlags(a: EnrolmentGroup, b: EnrolmentGroup): number {
  const rank = ({ mfaStatus, mfaAction }: EnrolmentGroup) => (mfaStatus ? 0 : 2) + (mfaAction ? 0 : 1)
  return a.state === b.state ? rank(a) - rank(b) : a.state < b.state ? -1 : 1
}
