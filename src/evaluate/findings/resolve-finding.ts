import type { Resolution } from '../../model/check-status.ts'
import type { InputQuality } from '../../model/data-quality.ts'
import { clocksAgree } from '../../model/decide-status.ts'
import type { FindingRow, RecordPresence } from '../../store/port.ts'
import type { CheckFacts } from '../check.ts'
import type { PassingEntity } from '../check-tally.ts'
import { isSameEntity } from './identity.ts'

/** What is known of the entity of an open finding that no longer fails. */
export interface Ending {
  readonly check: Pick<CheckFacts, 'entity' | 'evaluates' | 'timeBased'>
  readonly inputs: readonly InputQuality[]
  /** Rule of the evaluation; null if the check could not be evaluated. */
  readonly rule: string | null
  /** Undefined if the entity is no record, or if the row of the record is gone. */
  readonly presence: RecordPresence | undefined
  /** Undefined if the evaluation did not find the entity. */
  readonly passing: PassingEntity | undefined
}

/** Partial states of the evaluated resource that the mirror tracks for each record. */
const trackedByRecord: ReadonlySet<string> = new Set(['quarantined', 'missing_records'])

/** Null keeps the finding open: an input is stale or partial, or a row is gone (docs/status.md#findings). */
export function resolutionOf(evidence: FindingRow['evidence'], ending: Ending): Resolution | null {
  const { check, inputs, rule, presence, passing } = ending
  if (inputs.some((input) => input.off)) return 'not_applicable'
  if (check.entity.isRecord && presence === 'removed') return 'entity_removed'
  if (check.entity.isRecord && presence !== 'live') return null
  if (rule === null || !isFreshAndComplete(ending)) return null
  // A record that appeared during the evaluation is left to the next one.
  if (passing === undefined && check.entity.isRecord) return null
  const identity = passing?.identity ?? null
  if (identity !== null && evidence['identity'] !== undefined && !isSameEntity(evidence, { identity }))
    return 'entity_removed'
  const outcome = passing?.outcome ?? { kind: 'ok' }
  switch (outcome.kind) {
    case 'not_applicable':
      return 'not_applicable'
    case 'not_evaluated':
      return outcome.accepts !== undefined && evidence[outcome.accepts] === true ? 'rule_changed' : null
    case 'ok':
      return outcome.resolution ?? (isOfRule(evidence, rule) ? 'fixed' : 'rule_changed')
    case 'fails':
      return null
    default:
      return outcome satisfies never
  }
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
function isOfRule(evidence: FindingRow['evidence'], rule: string): boolean {
  const stored = evidence['rule']
  return stored === undefined || stored === rule
}
