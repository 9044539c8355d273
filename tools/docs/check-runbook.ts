import type { CheckFacts } from '../../src/evaluate/check.ts'
import { hasAlert } from '../../src/monitoring/severities.ts'
import { generatedMark, wrapped } from './markdown.ts'

export function checkRunbook(check: CheckFacts): { readonly name: string; readonly text: string } | null {
  if (check.alert === null) return null
  const name = `Tenantwatch${check.alert}`
  return {
    name,
    text: `# ${name}

${generatedMark}

## Meaning

${wrapped(`${firesFor(check)} The check passes when: ${lowered(check.title)}.`)}

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

${wrapped(`A finding resolves when its entity passes, with the next full sync of ${listOf([check.evaluates, ...check.needs])} at the latest. Without one it stays open; see [TenantwatchCheckUnknown](TenantwatchCheckUnknown.md).`)}

${wrapped('To accept a finding for a limited time, add a [waiver](../waivers.md) with `tenantwatch waive FINGERPRINT --reason TEXT --owner WHO --expires DATE --write` and reload the daemon (SIGHUP, or `curl -X POST http://127.0.0.1:9469/-/reload`).')}
`,
  }
}

function firesFor({ id, severities }: CheckFacts): string {
  const open = `Check \`${id}\` has open findings of severity medium or higher that no waiver accepts.`
  if (severities.some(hasAlert)) return open
  return `${open} Its severity is ${severities.join(' or ')} by default, which has no alert: this one fires where \`checks.${id}.severity\` is medium or higher.`
}

function lowered(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? `${title[0]?.toLowerCase()}${title.slice(1)}` : title
}

function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
