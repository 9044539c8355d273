/** Also the words of log field, metric label and stored value. */
export const reasons = [
  'unauthorized',
  'missing_permission',
  'rate_limited',
  'server_error',
  'client_error',
  'timeout',
  'network',
  'tls',
  'redirect',
  'too_large',
  'protocol',
  'contradictory',
  'invalid_cursor',
  'suspect_empty',
  'shrink_held',
  'tenant_changed',
  'stale_answer',
  'store',
  'aborted',
  'internal',
] as const

export type Reason = (typeof reasons)[number]

/** Reasons of a run that the tenant refused. */
export const refusals = ['unauthorized', 'missing_permission'] as const satisfies readonly Reason[]

/** Reasons of runs that raise a hold and fail until it has ended (docs/internals/sync.md#7-hold-and-accept). */
const holdReasons: readonly Reason[] = ['suspect_empty', 'shrink_held', 'tenant_changed']

export function isHoldReason(reason: Reason): boolean {
  return holdReasons.includes(reason)
}

export type Refusal = (typeof refusals)[number]

export function isRefusal(reason: string | null): reason is Refusal {
  return refusals.some((refusal) => refusal === reason)
}

export const unknownReasons = [
  'never',
  'stale',
  'quarantined',
  'clock_skew',
  'ambiguous',
  'missing_records',
  'check_failed',
  ...reasons,
] as const

export type UnknownReason = (typeof unknownReasons)[number]
