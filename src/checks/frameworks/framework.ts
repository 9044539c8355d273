export interface Requirement {
  /** Number in the framework. */
  readonly id: string
  /** Paraphrased, not quoted. */
  readonly title: string
  /** Ids of checks; empty = reported as not covered. */
  readonly checks: readonly string[]
}

export interface Framework {
  readonly id: string
  readonly name: string
  /** Names that own checks may use, in lower case without punctuation and spaces. */
  readonly aliases: readonly string[]
  readonly requirements: readonly Requirement[]
}

/** Groups of checks that most frameworks map to the same requirement. */
export const mfa = ['auth-mfa-policy-enabled', 'user-mfa-enrolled'] as const
export const drift = ['auth-settings-unchanged', 'role-permissions-unchanged'] as const
export const secretLife = [
  'api-client-secret-lifetime',
  'api-client-secret-not-expired',
  'api-client-secret-not-expiring',
] as const
export const policies = ['document-current', 'document-required-present'] as const
