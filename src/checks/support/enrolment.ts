interface Flags {
  readonly mfaStatus?: boolean
  readonly mfaAction?: boolean
}

/**
 * The values of `enrolledWhen`: alternative flag values that mean a user is enrolled. The specification does not define
 * the flags, so every reading that depends on a flag is listed and the operator chooses.
 */
export const enrolmentRules = {
  mfaStatus: [{ mfaStatus: true }],
  mfaAction: [{ mfaAction: true }],
  'not mfaStatus': [{ mfaStatus: false }],
  'not mfaAction': [{ mfaAction: false }],
  'mfaStatus and mfaAction': [{ mfaStatus: true, mfaAction: true }],
  'mfaStatus and not mfaAction': [{ mfaStatus: true, mfaAction: false }],
  'not mfaStatus and mfaAction': [{ mfaStatus: false, mfaAction: true }],
  'not mfaStatus and not mfaAction': [{ mfaStatus: false, mfaAction: false }],
  'mfaStatus or mfaAction': [{ mfaStatus: true }, { mfaAction: true }],
  'mfaStatus or not mfaAction': [{ mfaStatus: true }, { mfaAction: false }],
  'not mfaStatus or mfaAction': [{ mfaStatus: false }, { mfaAction: true }],
  'not mfaStatus or not mfaAction': [{ mfaStatus: false }, { mfaAction: false }],
  'mfaStatus equals mfaAction': [
    { mfaStatus: true, mfaAction: true },
    { mfaStatus: false, mfaAction: false },
  ],
  'mfaStatus differs from mfaAction': [
    { mfaStatus: true, mfaAction: false },
    { mfaStatus: false, mfaAction: true },
  ],
} as const satisfies Readonly<Record<string, readonly Flags[]>>

export type EnrolmentRule = keyof typeof enrolmentRules

/** The reading in force while `enrolledWhen` is not set (docs/internals/api.md#open-points). */
export const assumedRule = 'mfaStatus' satisfies EnrolmentRule

export function isEnrolled(rule: EnrolmentRule, mfaStatus: boolean, mfaAction: boolean): boolean {
  return alternatives(rule).some(
    (flags) => (flags.mfaStatus ?? mfaStatus) === mfaStatus && (flags.mfaAction ?? mfaAction) === mfaAction,
  )
}

function alternatives(rule: EnrolmentRule): readonly Flags[] {
  return enrolmentRules[rule]
}
