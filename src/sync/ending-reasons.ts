import type { Reason } from '../model/reasons.ts'

/** Failures of an optional request that end the run: after a stale or foreign answer the run cannot succeed. */
export const endsRun: ReadonlySet<Reason> = new Set(['aborted', 'internal', 'stale_answer', 'store', 'tenant_changed'])

/** After these failures no further optional request of the run makes sense. */
export const endsAsking: ReadonlySet<Reason> = new Set([
  ...endsRun,
  'missing_permission',
  'rate_limited',
  'unauthorized',
])
