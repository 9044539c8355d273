import type { Mirror } from '../mirror/port.ts'
import type { Log } from '../model/log.ts'

/** Findings of one check that an evaluation logs one by one. */
const mostNamed = 10

interface CheckTransitions {
  readonly tenant: { readonly id: number; readonly name: string }
  readonly check: string
  readonly opened: number
  readonly resolved: number
  /** Instant of the evaluation, in milliseconds since the epoch. */
  readonly at: number
}

/** Logs each finding that an evaluation opened, reopened or resolved, by its fingerprint: no name is logged. */
export async function logFindings(
  store: Mirror,
  log: Log,
  { tenant, check, opened, resolved, at }: CheckTransitions,
): Promise<void> {
  if (opened + resolved === 0) return
  if (opened + resolved > mostNamed) {
    log.info({ tenant: tenant.name, check, opened, resolved }, `Findings changed; the first ${mostNamed} follow`)
  }
  for (const transition of await store.findingTransitions({ tenantId: tenant.id, check, at }, mostNamed)) {
    const { fingerprint, kind, severity, resolution } = transition
    const facts = { tenant: tenant.name, check, severity, finding: fingerprint.slice(0, 12) }
    log.info({ ...facts, ...(kind === 'resolved' && { resolution }) }, `Finding ${kind}`)
  }
}
