import type { NamedFinding } from '../model/finding.ts'
import { renderLabels } from './exposition.ts'
import type { FamilyDefinition, Sample } from './family.ts'
import { labelText } from './label-text.ts'
import { fromMirror } from './posture-gauge.ts'

/** Which findings they are, a few of each check. */
export const findingGauge: FamilyDefinition = {
  name: 'tenantwatch_finding_info',
  help: `1 for each of the first 10 findings of a check that are open and not waived: the most severe, then those first seen longest ago. The id is empty where it may be a name; the fingerprint is for tenantwatch explain. ${fromMirror}`,
  labelNames: ['check', 'severity', 'entity_type', 'entity_id', 'fingerprint'],
}

/** Makes the sample of a finding once, for as long as that is shown: there may be more of them than of all the rest. */
export function findingSamples(): (tenant: string, finding: NamedFinding) => Sample {
  const made = new WeakMap<NamedFinding, Sample>()
  return (tenant, finding) => {
    const known = made.get(finding)
    if (known !== undefined) return known
    const { check, severity, entityType, entityId, fingerprint } = finding
    const labels = { tenant, check, severity, entity_type: labelText(entityType), entity_id: entityId, fingerprint }
    const sample = { labels, value: 1, text: renderLabels(labels) }
    made.set(finding, sample)
    return sample
  }
}
