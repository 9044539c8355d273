import type { Resolution } from '../../model/check-status.ts'
import type { InputQuality } from '../../model/data-quality.ts'
import { clocksAgree } from '../../model/decide-status.ts'
import type { FindingRow, FindingStore } from '../../store/port.ts'
import type { Check, Evaluated } from '../check.ts'
import { identityOf, isSameEntity } from './identity.ts'

export interface Ending {
  readonly store: FindingStore
  readonly tenantId: number
  readonly check: Check
  readonly inputs: readonly InputQuality[]
  readonly now: number
  /** Null if the check could not be evaluated. */
  readonly evaluated: Evaluated | null
}

type OpenFinding = Pick<FindingRow, 'entityType' | 'entityId' | 'evidence' | 'fingerprint'>

/** Partial states of the evaluated resource that the mirror tracks for each record. */
const trackedByRecord: ReadonlySet<string> = new Set(['quarantined', 'missing_records'])

/** Null keeps the finding open: an input is stale or partial, or a row is gone (docs/sync.md#findings). */
export async function resolutionOf(finding: OpenFinding, ending: Ending): Promise<Resolution | null> {
  const { check, inputs, evaluated, store, tenantId } = ending
  if (inputs.some((input) => input.off)) return 'not_applicable'
  const { entityId, evidence } = finding
  if (check.entity.isRecord && !(await store.isLive(tenantId, check.evaluates, entityId)))
    return (await store.isTombstone(tenantId, check.evaluates, entityId)) ? 'entity_removed' : null
  if (evaluated === null || !isFreshAndComplete(ending)) return null
  if (check.entity.isRecord && (await store.isUncertain(tenantId, check.evaluates, entityId))) return null
  if (await isReassigned(finding, ending)) return 'entity_removed'
  if (!evaluated.applicable) return 'not_applicable'
  const scope = await evaluated.scope(entityId, evidence)
  if (scope === 'not_evaluated') return null
  if (scope === 'not_applicable') return 'not_applicable'
  if (scope === 'accepted') return 'rule_changed'
  if (!isOfRule(finding, evaluated.rule)) return 'rule_changed'
  const ofWrongClock = check.timeBased && (await store.isOfWrongClock(finding.fingerprint, ending.now))
  return ofWrongClock ? 'clock_corrected' : 'fixed'
}

async function isReassigned({ entityId, evidence }: OpenFinding, ending: Ending): Promise<boolean> {
  const { check, store, tenantId } = ending
  if (!check.entity.isRecord || evidence['identity'] === undefined) return false
  const record = await store.record(tenantId, check.evaluates, entityId)
  return record !== null && !isSameEntity(evidence, identityOf(record))
}

function isFreshAndComplete({ check, inputs }: Ending): boolean {
  if (inputs.some((input) => input.blocked !== null)) return false
  if (check.timeBased && !clocksAgree(inputs)) return false
  return inputs
    .filter((input) => input.partial.length > 0)
    .every(
      ({ resource, partial }) =>
        check.entity.isRecord && resource === check.evaluates && partial.every((reason) => trackedByRecord.has(reason)),
    )
}

/** False if the check's configuration changed since the entity last failed. */
function isOfRule({ evidence }: OpenFinding, rule: string): boolean {
  const stored = evidence['rule']
  return stored === undefined || stored === rule
}
