import type { CheckFacts } from '../../evaluate/check.ts'
import { generatedMark, wrapped } from './markdown.ts'

export function checkRunbook(check: CheckFacts): { readonly name: string; readonly text: string } | null {
  if (check.alert === null) return null
  const name = `Tenantwatch${check.alert.name}`
  const bands = check.severities.toReversed().join(' or ')
  return {
    name,
    text: `# ${name}

${generatedMark}

## Meaning

${wrapped(`Check \`${check.id}\` has open findings of severity ${bands} that no waiver accepts. It passes when: ${lowered(check.title)}.`)}

${wrapped(check.description)}

## Impact

${wrapped(check.risk)}

## Diagnosis

\`\`\`sh
tenantwatch findings --check ${check.id}
tenantwatch explain FINGERPRINT     # rule, threshold, facts, when they were read, history
\`\`\`

\`\`\`promql
sum by (tenant, severity) (tenantwatch_findings{check="${check.id}"})
tenantwatch_finding_info{check="${check.id}"}    # the first ten, by id and fingerprint
tenantwatch_check_entities{check="${check.id}"}
increase(tenantwatch_findings_opened_total{check="${check.id}"}[1d])
\`\`\`

## Mitigation

${wrapped(check.remediation)}

${wrapped(`The finding resolves with the next complete sync of ${listOf([check.evaluates, ...check.needs])} in which the check passes. While they cannot be read, it stays open; see [TenantwatchCheckUnknown](TenantwatchCheckUnknown.md).`)}

${wrapped('To accept it for a time, add a waiver to the configuration (`id`, `check`, `entity`, `tenant`, `reason` of 20 or more characters, `owner`, `expires`) and reload the daemon.')}
`,
  }
}

function lowered(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? `${title[0]?.toLowerCase()}${title.slice(1)}` : title
}

function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
