import { checks } from '../checks/index.ts'
import { fingerprintOf, shortFingerprint } from '../model/finding.ts'
import type { Log } from '../model/log.ts'
import type { Mirror } from '../store/port.ts'

/** Most findings of one check that an evaluation logs one by one. */
const mostNamed = 10

interface NamedTenant {
  readonly id: number
  readonly name: string
}

interface CheckTransitions {
  readonly tenant: NamedTenant
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
  const transitions = await store.findingTransitions({ tenantId: tenant.id, check, at }, mostNamed)
  const isRuleChanged = transitions.some(({ resolution }) => resolution === 'rule_changed')
  const accepted = isRuleChanged ? await acceptedDrift(store, tenant, check) : new Set()
  for (const { fingerprint, kind, severity, resolution } of transitions) {
    const facts = { tenant: tenant.name, check, severity, finding: shortFingerprint(fingerprint) }
    log.info({ ...facts, ...(kind === 'resolved' && { resolution }) }, `Finding ${kind}`)
    if (resolution === 'rule_changed' && accepted.has(fingerprint)) log.info(facts, 'An operator accepted drift')
  }
}

/** Fingerprints of the findings whose drift an operator accepted. */
async function acceptedDrift(store: Mirror, { id, name }: NamedTenant, check: string): Promise<ReadonlySet<string>> {
  const entityType = checks.find((one) => one.id === check && 'drift' in one)?.entity.type
  if (entityType === undefined) return new Set()
  const decisions = await store.decisions(id)
  return new Set(
    decisions.flatMap((one) => {
      if (one.accepted !== 'drift' || one.check !== check) return []
      return [fingerprintOf({ tenant: name, check, entityType, entityId: one.entityId })]
    }),
  )
}

/** When a waiver lapses, its finding counts again without a transition. */
export async function logLapses(store: Mirror, log: Log, { id, name }: NamedTenant, at: number): Promise<void> {
  for (const { fingerprint, waiver, check } of await store.lapsesAt(id, at, mostNamed)) {
    log.info(
      { tenant: name, check, waiver, finding: shortFingerprint(fingerprint) },
      'Waiver lapsed: the finding has changed',
    )
  }
}
