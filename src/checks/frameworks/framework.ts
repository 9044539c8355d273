/** A requirement and the checks that are evidence towards it. */
export interface Requirement {
  /** As the framework numbers it. */
  readonly id: string
  /** In our own words. */
  readonly title: string
  /** Ids of checks; none = visible as not covered. */
  readonly checks: readonly string[]
}

export interface Framework {
  readonly id: string
  readonly name: string
  /** What own checks may call it, in lower case and without signs and spaces. */
  readonly aliases: readonly string[]
  readonly requirements: readonly Requirement[]
}

/** Checks that stand together in most frameworks. */
export const mfa = ['auth-mfa-policy-enabled', 'user-mfa-enrolled'] as const
export const drift = ['auth-settings-unchanged', 'role-permissions-unchanged'] as const
export const secretLife = [
  'api-client-secret-lifetime',
  'api-client-secret-not-expired',
  'api-client-secret-not-expiring',
] as const
export const policies = ['document-current', 'document-required-present'] as const
