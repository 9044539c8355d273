import type { Condition, GroupCount } from '../../mirror/query.ts'

interface Flags {
  readonly mfaStatus?: boolean
  readonly mfaAction?: boolean
}

/**
 * What `enrolledWhen` can say: the alternatives of flags that mean a user is enrolled. The specification does not show
 * what the flags mean, so the operator chooses.
 */
export const enrolmentRules = {
  mfaAction: [{ mfaAction: true }],
  mfaStatus: [{ mfaStatus: true }],
  'mfaStatus and mfaAction': [{ mfaStatus: true, mfaAction: true }],
  'mfaStatus and not mfaAction': [{ mfaStatus: true, mfaAction: false }],
  'mfaStatus or mfaAction': [{ mfaStatus: true }, { mfaAction: true }],
  'not mfaAction': [{ mfaAction: false }],
} as const satisfies Readonly<Record<string, readonly Flags[]>>

export type EnrolmentRule = keyof typeof enrolmentRules

/** True when the flags mean that the user is enrolled. */
export function isEnrolled(rule: EnrolmentRule, mfaStatus: boolean, mfaAction: boolean): boolean {
  return alternatives(rule).some(
    (flags) => (flags.mfaStatus ?? mfaStatus) === mfaStatus && (flags.mfaAction ?? mfaAction) === mfaAction,
  )
}

/**
 * Alternatives of conditions that meet exactly the users that are not enrolled, of those in the groups; none when every
 * group is enrolled. The states are named so that an index finds the users.
 *
 * @param groups counts by state, mfaStatus and mfaAction.
 */
export function lacksEnrolment(rule: EnrolmentRule, groups: readonly GroupCount[]): readonly (readonly Condition[])[] {
  const lacking = groups.filter(({ values: [, status, action] }) => !isEnrolled(rule, status === true, action === true))
  const byFlags = Map.groupBy(lacking, ({ values: [, status, action] }) => `${status} ${action}`)
  return [...byFlags.values()].map((same): readonly Condition[] => {
    const [, mfaStatus = null, mfaAction = null] = same[0]?.values ?? []
    return [
      { field: 'state', in: same.map(({ values: [state = null] }) => state) },
      { field: 'mfaStatus', is: mfaStatus },
      { field: 'mfaAction', is: mfaAction },
    ]
  })
}

function alternatives(rule: EnrolmentRule): readonly Flags[] {
  return enrolmentRules[rule]
}
