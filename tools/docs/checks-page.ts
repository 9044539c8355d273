import type * as z from 'zod'
import type { Check } from '../../src/evaluate/check.ts'
import { hasAlert } from '../../src/monitoring/severities.ts'
import { generatedMark, wrapped } from './markdown.ts'

export function checksPage(checks: readonly Check[], frameworks: ReadonlyMap<string, readonly string[]>): string {
  const sections = checks.map((check) => section(check, frameworks.get(check.id) ?? []))
  return `# Checks

${generatedMark}

${wrapped('Each check states its passing case. It never passes while one of the resources it reads was never completely read, is stale, refused or on hold, or has missing or quarantined records ([check status](status.md#check-status)). `checks.<id>` in the configuration takes `enabled`, `severity` (one for all its findings) and the options below.')}

${sections.join('\n')}`
}

function section(check: Check, requirements: readonly string[]): string {
  const silent = check.severities.some(hasAlert) ? '' : ', only where `severity` is set to medium or higher'
  const alert =
    check.alert === null
      ? 'the alerts on expiring secrets (`TenantwatchSecretExpir…`)'
      : `[Tenantwatch${check.alert}](runbooks/Tenantwatch${check.alert}.md)${silent}`
  const facts = [
    `- Severity: ${check.severities.toReversed().join(', ')}`,
    `- Evaluates ${check.evaluates}${check.needs.length === 0 ? '' : `; needs ${check.needs.join(', ')}`}`,
    ...(check.notEvaluatedWhere === undefined ? [] : [`- Not evaluated where ${check.notEvaluatedWhere}`]),
    `- Options: ${optionsOf(check.options)}`,
    `- A waiver accepts ${(check.material ?? []).map((name) => `\`${name}\``).join(', ')}, and lapses when ${check.material?.length === 1 ? 'it' : 'one of them'} changes`,
    `- Alert: ${alert}`,
    ...(requirements.length === 0 ? [] : [`- Requirements: ${requirements.join('; ')}`]),
  ]
  return `## ${check.id}

${wrapped(`**${check.title}.** ${check.description}`)}

${wrapped(`Risk: ${check.risk}`)}

${wrapped(`To do: ${check.remediation}`)}

${facts.map((fact) => wrapped(fact).replaceAll('\n', '\n  ')).join('\n')}
`
}

function optionsOf(options: z.ZodObject): string {
  const defaults = Object.entries(options.parse({}))
  return defaults.length === 0
    ? 'none'
    : defaults.map(([name, value]) => `\`${name}: ${JSON.stringify(value)}\``).join(', ')
}
