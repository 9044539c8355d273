type Rule = (mfaStatus: boolean, mfaAction: boolean) => boolean

/**
 * The values of `enrolledWhen`: whether a user with these flags is enrolled. The specification does not define the flags,
 * so every reading that depends on a flag is listed and the operator chooses.
 */
export const enrolmentRules = {
  mfaStatus: (status) => status,
  mfaAction: (_status, action) => action,
  'not mfaStatus': (status) => !status,
  'not mfaAction': (_status, action) => !action,
  'mfaStatus and mfaAction': (status, action) => status && action,
  'mfaStatus and not mfaAction': (status, action) => status && !action,
  'not mfaStatus and mfaAction': (status, action) => !status && action,
  'not mfaStatus and not mfaAction': (status, action) => !status && !action,
  'mfaStatus or mfaAction': (status, action) => status || action,
  'mfaStatus or not mfaAction': (status, action) => status || !action,
  'not mfaStatus or mfaAction': (status, action) => !status || action,
  'not mfaStatus or not mfaAction': (status, action) => !status || !action,
  'mfaStatus equals mfaAction': (status, action) => status === action,
  'mfaStatus differs from mfaAction': (status, action) => status !== action,
} as const satisfies Readonly<Record<string, Rule>>

export type EnrolmentRule = keyof typeof enrolmentRules

/** The reading in force while `enrolledWhen` is not set (docs/internals/api.md#open-points). */
export const assumedRule = 'mfaStatus' satisfies EnrolmentRule

export function isEnrolled(rule: EnrolmentRule, mfaStatus: boolean, mfaAction: boolean): boolean {
  const isMet: Rule = enrolmentRules[rule]
  return isMet(mfaStatus, mfaAction)
}
