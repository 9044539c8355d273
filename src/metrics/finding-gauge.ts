import type { NamedFinding } from '../model/finding.ts'
import { renderLabels, renderLine } from './exposition.ts'
import type { FamilyDefinition } from './family.ts'
import { labelText } from './label-text.ts'
import { fromMirror } from './posture-gauge.ts'

export const findingGauge: FamilyDefinition = {
  name: 'tenantwatch_finding_info',
  help: `1 for each of the first 10 open, unwaived findings of a check, by severity, then by first seen. entity_id is empty if the id may be a name; pass the fingerprint to tenantwatch explain. ${fromMirror}`,
  labelNames: ['check', 'severity', 'entity_type', 'entity_id', 'fingerprint'],
}

export type FindingLine = (tenant: string, finding: NamedFinding) => string

/** Renders and caches the series of findings, which may be most of the series. */
export function findingLines(): FindingLine {
  const made = new WeakMap<NamedFinding, string>()
  return (tenant, finding) => {
    const known = made.get(finding)
    if (known !== undefined) return known
    const { check, severity, entityType, entityId, fingerprint } = finding
    const labels = { tenant, check, severity, entity_type: labelText(entityType), entity_id: entityId, fingerprint }
    const line = renderLine(`${findingGauge.name}${renderLabels(labels)}`, 1)
    made.set(finding, line)
    return line
  }
}
