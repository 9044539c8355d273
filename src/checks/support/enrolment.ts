import type { Condition } from '../../mirror/query.ts'

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

/** Alternatives of conditions that meet exactly the users that are not enrolled. */
export function lacksEnrolment(rule: EnrolmentRule): readonly (readonly Condition[])[] {
  const both = [true, false]
  const lacking = both.flatMap((mfaStatus) =>
    both.filter((mfaAction) => !isEnrolled(rule, mfaStatus, mfaAction)).map((mfaAction) => ({ mfaStatus, mfaAction })),
  )
  return lacking.map(({ mfaStatus, mfaAction }) => [
    { field: 'mfaStatus', is: mfaStatus },
    { field: 'mfaAction', is: mfaAction },
  ])
}

function alternatives(rule: EnrolmentRule): readonly Flags[] {
  return enrolmentRules[rule]
}
