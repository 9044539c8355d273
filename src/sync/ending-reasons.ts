import type { Reason } from '../model/reasons.ts'

/** Failures of an optional request that end the run all the same: of an old or a foreign answer nothing counts as success. */
export const endsRun: ReadonlySet<Reason> = new Set(['aborted', 'internal', 'stale_answer', 'store', 'tenant_changed'])

/** After these no further request makes sense in this run. */
export const endsAsking: ReadonlySet<Reason> = new Set([
  ...endsRun,
  'missing_permission',
  'rate_limited',
  'unauthorized',
])
