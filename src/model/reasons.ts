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

const words: Readonly<Record<UnknownReason, string>> = {
  never: 'not completely read yet',
  stale: 'the data or its evaluation is too old',
  quarantined: 'records are in quarantine',
  clock_skew: 'the clocks differ',
  ambiguous: 'the data of some entities is ambiguous',
  missing_records: 'records are missing from the last full sync',
  check_failed: 'the check itself failed',
  unauthorized: 'the tenant refuses the token',
  missing_permission: 'the token lacks a permission',
  rate_limited: 'the tenant limits the number of requests',
  server_error: 'the tenant answers with an error',
  client_error: 'the tenant refuses a request',
  timeout: 'the tenant does not answer in time',
  network: 'the tenant cannot be reached',
  tls: 'the certificate of the tenant is refused',
  redirect: 'the tenant redirects to another address',
  too_large: 'an answer of the tenant is too large',
  protocol: 'an answer of the tenant breaks the specification',
  contradictory: 'two answers of the tenant differ',
  invalid_cursor: 'the tenant refuses a cursor',
  suspect_empty: 'on hold: an empty list may be incomplete',
  shrink_held: 'on hold: many records are missing',
  tenant_changed: "it is not proven that the data is this tenant's",
  stale_answer: 'an answer of the tenant is out of date',
  store: 'the database failed',
  aborted: 'the run was stopped',
  internal: 'an error of tenantwatch',
}

/** The reason code, as in logs and metrics, with its meaning. */
export function reasonInWords(reason: UnknownReason): string {
  return `${reason}: ${words[reason]}`
}
