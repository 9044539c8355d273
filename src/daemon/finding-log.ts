import type { CheckOutcome } from '../evaluate/evaluation.ts'
import type { Mirror } from '../mirror/port.ts'
import type { Log } from '../model/log.ts'

/** Findings of one check that an evaluation logs one by one. */
const mostNamed = 10

interface Evaluated {
  readonly tenant: { readonly id: number; readonly name: string }
  readonly outcomes: readonly CheckOutcome[]
  /** Instant of the evaluation, in milliseconds since the epoch. */
  readonly at: number
}

/** Logs each finding that an evaluation opened, changed, reopened or resolved, by its fingerprint: no name is logged. */
export async function logFindings(store: Mirror, log: Log, { tenant, outcomes, at }: Evaluated): Promise<void> {
  for (const { check, opened, resolved } of outcomes) {
    const ended = Object.values(resolved).reduce((sum, count) => sum + count, 0)
    let left = Math.min(opened + ended, mostNamed)
    if (opened + ended > mostNamed) {
      log.info(
        { tenant: tenant.name, check, opened, resolved: ended },
        `Findings changed; the first ${mostNamed} follow`,
      )
    }
    if (left === 0) continue
    search: for await (const batch of store.findings({ tenantIds: [tenant.id], check, since: at, all: true })) {
      for (const { fingerprint, severity } of batch) {
        const last = (await store.findingEvents(fingerprint)).at(-1)
        if (last?.at !== at || last.kind === 'changed') continue
        const { kind, resolution } = last
        const facts = { tenant: tenant.name, check, severity, finding: fingerprint.slice(0, 12) }
        log.info({ ...facts, ...(kind === 'resolved' && { resolution }) }, `Finding ${kind}`)
        if (--left === 0) break search
      }
    }
  }
}
