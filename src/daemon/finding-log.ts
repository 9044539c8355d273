import { checks } from '../checks/index.ts'
import { type CheckOutcome, mostNamed } from '../evaluate/check-outcome.ts'
import { readDecisions } from '../evaluate/decisions.ts'
import { fingerprintOf, shortFingerprint } from '../model/finding.ts'
import type { Log } from '../model/log.ts'
import type { Mirror } from '../store/port.ts'

interface NamedTenant {
  readonly id: number
  readonly name: string
}

/**
 * Logs each finding that an evaluation opened, reopened or resolved, or that counts again because a waiver lapsed, by its
 * fingerprint: no name is logged.
 *
 * @param resolved number of findings.
 */
export async function logFindings(
  store: Mirror,
  log: Log,
  tenant: NamedTenant,
  { check, opened, transitions, lapsed }: CheckOutcome,
  resolved: number,
): Promise<void> {
  if (opened + resolved > mostNamed) {
    log.info({ tenant: tenant.name, check, opened, resolved }, `Findings changed; the first ${mostNamed} follow`)
  }
  const isRuleChanged = transitions.some(({ resolution }) => resolution === 'rule_changed')
  const accepted = isRuleChanged ? await acceptedDrift(store, tenant, check) : new Set()
  for (const { fingerprint, kind, severity, resolution } of transitions) {
    const facts = { tenant: tenant.name, check, severity, finding: shortFingerprint(fingerprint) }
    log.info({ ...facts, ...(kind === 'resolved' && { resolution }) }, `Finding ${kind}`)
    if (resolution === 'rule_changed' && accepted.has(fingerprint)) log.info(facts, 'An operator accepted drift')
  }
  for (const { fingerprint, waiver } of lapsed) {
    log.info(
      { tenant: tenant.name, check, waiver, finding: shortFingerprint(fingerprint) },
      'Waiver lapsed: the finding has changed',
    )
  }
}

/** Fingerprints of the findings whose drift an operator accepted. */
async function acceptedDrift(store: Mirror, { id, name }: NamedTenant, check: string): Promise<ReadonlySet<string>> {
  const entityType = checks.find((one) => one.id === check && 'drift' in one)?.entity.type
  if (entityType === undefined) return new Set()
  const decisions = await readDecisions(store, id)
  return new Set(
    decisions.flatMap((one) => {
      if (one.accepted !== 'drift' || one.check !== check) return []
      return [fingerprintOf({ tenant: name, check, entityType, entityId: one.entityId })]
    }),
  )
}
