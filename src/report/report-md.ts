import { toIso } from '../model/dates.ts'
import { describeDuration } from '../model/durations.ts'
import { namesIn } from '../model/entity-names.ts'
import { printable } from '../model/text/printable.ts'
import { printableJson } from '../model/text/printable-json.ts'
import { markup, md } from './markdown.ts'
import { mostSevere, type Report, type ReportFinding, type ReportFramework, type TenantReport } from './report.ts'
import {
  caveat,
  chainSentence,
  countsInWords,
  coverageInWords,
  headLines,
  reopenedWords,
  requirementWord,
  resourceStateWord,
  standingWord,
  tenantSentence,
} from './words.ts'

export async function* reportMd(report: Report): AsyncIterable<string> {
  const head = headLines(report, toIso(report.at)).map(([name, value]) => [name, md(value)])
  yield `# Audit report\n\n${table(['', ''], head)}\n${report.notes.map((note) => `> ${md(note)}\n\n`).join('')}`
  for (const tenant of report.tenants) yield* tenantMd(tenant)
}

async function* tenantMd(tenant: TenantReport): AsyncIterable<string> {
  const open = Object.entries(tenant.open).filter(([, count]) => count > 0)
  const bySeverity = open.map(([severity, count]) => `${count} ${severity}`).reverse()
  yield `## Tenant ${md(tenant.tenant)}\n\n${tenantSentence(tenant)}\n\n`
  yield `- Checks: ${countsInWords(tenant.standings, standingWord)}\n`
  yield `- Findings: ${[`${tenant.openTotal} open`, ...bySeverity, `${tenant.waivedTotal} waived`].join(', ')}\n`
  if (tenant.clocksDiffer)
    yield '- The clocks of tenant and tenantwatch differed too much to evaluate checks that compare times.\n'
  yield `- ${chainSentence(tenant.chainHead, code)}\n`
  yield `\n${resourcesMd(tenant)}${holdsMd(tenant)}${checksMd(tenant)}`
  yield* findingsMd(tenant)
  yield `${waiversMd(tenant)}${decisionsMd(tenant)}### Requirements\n\n${caveat}\n\n`
  for (const framework of tenant.frameworks) yield requirementsMd(framework)
}

function resourcesMd({ resources }: TenantReport): string {
  const rows = resources.map((one) => [
    one.resource,
    [...new Set([resourceStateWord(one), ...one.reasons.filter((reason) => reason !== one.state)])].join(', '),
    one.dataAsOf ?? 'never',
    one.ageSeconds === null ? '' : describeDuration(one.ageSeconds * 1000),
    describeDuration(one.limitSeconds * 1000),
    `${one.records}`,
    `${one.quarantined}`,
    `${one.missing}`,
  ])
  const columns = ['Resource', 'State', 'Data as of', 'Age', 'Limit', 'Records', 'Quarantined', 'Missing']
  return `### Data quality\n\n${table(columns, rows)}`
}

function holdsMd({ holds }: TenantReport): string {
  if (holds.length === 0) return ''
  const rows = holds.map((hold) => [hold.resource, hold.reason, `${hold.count}`, hold.raisedAt, md(hold.message)])
  return `### Holds\n\n${table(['Resource', 'Reason', 'Count', 'Since', 'What'], rows)}`
}

function checksMd({ checks }: TenantReport): string {
  const rows = checks.map((one) => [
    code(one.check),
    one.reason === null ? standingWord[one.standing] : `${standingWord[one.standing]} (${one.reason})`,
    coverageInWords(one),
    one.since ?? '',
    md(one.title),
    Object.keys(one.options).length === 0 ? '' : code(printableJson(one.options)),
  ])
  return `### Checks\n\n${table(['Check', 'Status', 'Entities', 'Since', 'Passes when', 'Configured'], rows)}`
}

function requirementsMd({ name, counts, requirements }: ReportFramework): string {
  const rows = requirements.map(({ id, title, state, checks }) => [
    id,
    md(title),
    requirementWord[state],
    checks.map(({ check, standing }) => `${code(check)} ${standingWord[standing]}`).join('<br>'),
  ])
  const heading = `#### ${md(name)}\n\n${countsInWords(counts, requirementWord)}\n\n`
  return `${heading}${table(['Requirement', 'About', 'State', 'By'], rows)}`
}

async function* findingsMd({ findings }: TenantReport): AsyncIterable<string> {
  const { shown, total } = await mostSevere(findings())
  const more = total > shown.length ? `, the most severe ${shown.length} of ${total}; the JSON report has all` : ''
  yield `### Findings${more}\n\n${total === 0 ? 'No finding was open. Checks above that are unknown may still fail.\n\n' : ''}`
  yield table(
    ['Severity', 'Check', 'Entity', 'Finding', 'First seen', 'Age', 'Evidence'],
    shown.map((finding) => [
      finding.state === 'waived' ? `${finding.severity}, waived by ${md(finding.waiver?.id ?? '')}` : finding.severity,
      code(finding.check),
      [`${md(finding.entity.type)} ${md(finding.entity.id)}`, ...namesIn(finding.entity).map(md)].join('<br>'),
      messageMd(finding),
      finding.firstSeen,
      `${finding.ageDays} d`,
      code(printableJson(finding.evidence)),
    ]),
  )
}

function messageMd({ message, fingerprint, waiver, reopened }: ReportFinding): string {
  const explanation = waiver?.explanation ?? null
  return [
    md(message),
    ...(explanation === null ? [] : [md(explanation)]),
    ...(reopened === 0 ? [] : [reopenedWords(reopened)]),
    code(fingerprint),
  ].join('<br>')
}

function waiversMd({ waivers }: TenantReport): string {
  const rows = waivers.map((one) => [
    md(one.id),
    code(one.check),
    md(one.entity),
    one.state,
    `${one.covered}`,
    `${one.lapsed}`,
    md(one.owner),
    one.expires,
    md(one.reason),
  ])
  const columns = ['Waiver', 'Check', 'Entity', 'State', 'Covers', 'Lapsed for', 'Owner', 'Ends', 'Reason']
  return `### Waivers\n\n${rows.length === 0 ? 'None.\n\n' : table(columns, rows)}`
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return `${line(columns)}${line(columns.map(() => '---'))}${rows.map(line).join('')}\n`
}

function decisionsMd({ decisions }: TenantReport): string {
  const rows = decisions.map(({ at, accepted, subject, id, what, reason, appliedAt }) => [
    at,
    accepted,
    subject,
    md(id),
    code(what),
    md(reason),
    appliedAt ?? 'not yet',
  ])
  const columns = ['Accepted at', 'What', 'Of', 'Id', 'State', 'Reason', 'Taken up at']
  return rows.length === 0 ? '' : `### Decisions of operators\n\n${table(columns, rows)}`
}

function code(text: string): string {
  return `<code>${printable(text).replace(markup, reference)}</code>`
}

function reference(char: string): string {
  return `&#${char.charCodeAt(0)};`
}
