import type { FindingRow, FindingStore } from '../mirror/port.ts'
import type { Resolution } from '../model/check-status.ts'
import { clocksAgree } from '../model/decide-status.ts'
import type { InputTrust } from '../model/input-trust.ts'
import type { Check, Judged } from './check.ts'

export interface Ending {
  readonly store: FindingStore
  readonly tenantId: number
  readonly check: Check
  /** The check's inputs: what it judges first, then what it needs. */
  readonly inputs: readonly InputTrust[]
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Null when the check could not be judged at all. */
  readonly judged: Judged | null
}

type OpenFinding = Pick<FindingRow, 'entityType' | 'entityId' | 'evidence' | 'fingerprint'>

/** Partial states of the judged resource that leave each single record either sound or in doubt. */
const knownByRecord: ReadonlySet<string> = new Set(['quarantined', 'missing_records', 'shrink_held'])

/**
 * How an open finding whose entity no longer fails ends; null keeps it open, because something the check reads cannot
 * be trusted now (contract: none resolves on stale input). A removal was decided by a complete walk, so that it ends the
 * finding whatever came after.
 */
export async function resolutionOf(finding: OpenFinding, ending: Ending): Promise<Resolution | null> {
  const { check, inputs, judged, store, tenantId } = ending
  if (inputs.some((input) => input.off)) return 'not_applicable'
  const { entityId } = finding
  if (check.entity.isRecord && !(await store.isLive(tenantId, check.judges, entityId))) return 'entity_removed'
  if (judged === null || !isTrusted(ending)) return null
  if (check.entity.isRecord && (await store.inDoubt(tenantId, check.judges, entityId))) return null
  if (!judged.applicable) return 'not_applicable'
  const scope = await judged.scope(entityId)
  if (scope === 'not_judged') return null
  if (scope === 'not_applicable') return 'not_applicable'
  if (scope === 'accepted') return 'rule_changed'
  if (!isOfRule(finding, judged.rule)) return 'rule_changed'
  const ofWrongClock = check.timeBased && (await store.isOfWrongClock(finding.fingerprint, ending.now))
  return ofWrongClock ? 'clock_corrected' : 'fixed'
}

function isTrusted({ check, inputs }: Ending): boolean {
  if (inputs.some((input) => input.blocked !== null)) return false
  if (check.timeBased && !clocksAgree(inputs)) return false
  return inputs
    .filter((input) => input.partial.length > 0)
    .every(
      ({ resource, partial }) =>
        check.entity.isRecord && resource === check.judges && partial.every((reason) => knownByRecord.has(reason)),
    )
}

/** False when other thresholds, lists or statuses are configured than when the entity last failed. */
function isOfRule({ evidence }: OpenFinding, rule: string): boolean {
  const stored = evidence['rule']
  return stored === undefined || stored === rule
}
