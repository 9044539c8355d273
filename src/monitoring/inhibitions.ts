import { parse } from 'yaml'
import { type SeverityLabels, toYaml } from './rules.ts'
import { type AlertSeverity, shippedFile } from './shipped.ts'

interface Inhibition {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

/** The inhibition rules of the shipped Alertmanager configuration, for labels of an installation. */
export function renderInhibitions(severities: SeverityLabels): string {
  const { inhibit_rules: shipped } = parse(shippedFile('alertmanager.yml')) as {
    readonly inhibit_rules: readonly Inhibition[]
  }
  const rules = shipped.flatMap((rule) => relabelled(rule, severities))
  return toYaml({ inhibit_rules: rules })
}

function relabelled(rule: Inhibition, severities: SeverityLabels): readonly Inhibition[] {
  const sources = labelsIn(rule.source_matchers, severities)
  if (sources.length === 0) return [rule]
  // An alert must not inhibit itself if two severities have the same name.
  const targets = labelsIn(rule.target_matchers, severities).filter((label) => !sources.includes(label))
  if (targets.length === 0) return []
  return [
    {
      ...rule,
      source_matchers: withLabels(rule.source_matchers, sources),
      target_matchers: withLabels(rule.target_matchers, targets),
    },
  ]
}

const severityMatcher = /^severity =~? "?([\w|]+)"?$/

/** The labels of an installation for those that a matcher names. */
function labelsIn(matchers: readonly string[], severities: SeverityLabels): readonly string[] {
  const named = matchers.flatMap((matcher) => severityMatcher.exec(matcher)?.[1]?.split('|') ?? [])
  return [...new Set(named.map((name) => severities[name as AlertSeverity] ?? name))]
}

function withLabels(matchers: readonly string[], labels: readonly string[]): readonly string[] {
  const [only, ...others] = labels
  const matcher = others.length === 0 ? `severity = ${only}` : `severity =~ "${labels.join('|')}"`
  return matchers.map((one) => (severityMatcher.test(one) ? matcher : one))
}
