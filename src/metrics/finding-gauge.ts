import type { NamedFinding } from '../model/finding.ts'
import { renderLabels } from './exposition.ts'
import type { FamilyDefinition, Sample } from './family.ts'
import { labelText } from './label-text.ts'
import { fromMirror } from './posture-gauge.ts'

export const findingGauge: FamilyDefinition = {
  name: 'tenantwatch_finding_info',
  help: `1 for each of the first 10 open, unwaived findings of a check, by severity, then by first seen. entity_id is empty if the id may be a name; pass the fingerprint to tenantwatch explain. ${fromMirror}`,
  labelNames: ['check', 'severity', 'entity_type', 'entity_id', 'fingerprint'],
}

/** Makes and caches the samples of findings, which may be most of the series. */
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
