import { toIso } from '../model/dates.ts'
import { describeDuration } from '../model/durations.ts'
import { entityWords, namesIn } from '../model/entity-names.ts'
import { severities } from '../model/severity.ts'
import { plural } from '../model/text/numbers.ts'
import { type Fact, factsIn, groupFacts } from './facts.ts'
import { code, list, md, table } from './markdown.ts'
import {
  mostSevere,
  type Report,
  type ReportFinding,
  type ReportFramework,
  requirementStates,
  type TenantReport,
} from './report.ts'
import {
  acceptedInWords,
  byStanding,
  caveat,
  chainInWords,
  clocksDiffer,
  countsInWords,
  coverageInWords,
  headLines,
  inEach,
  moreInWords,
  nothingFound,
  type Part,
  parts,
  qualityInWords,
  reopenedWords,
  requirementWord,
  resourceStateInWords,
  standingWord,
  subjectInWords,
  tenantSentence,
} from './words.ts'

export async function* reportMd(report: Report): AsyncIterable<string> {
  const head = headLines(report, toIso(report.at)).map(([name, value]) => [`${name}: ${md(value)}`] as const)
  yield `# Audit report\n\n${list(head)}${report.notes.map((note) => `> ${md(note)}\n\n`).join('')}`
  for (const tenant of report.tenants) yield* tenantMd(tenant)
}

async function* tenantMd(report: TenantReport): AsyncIterable<string> {
  const contents = (Object.keys(parts) as Part[]).map((part) => `[${parts[part]}](#${anchor(part, report)})`)
  yield `## Tenant ${md(report.tenant)}\n\n${tenantSentence(report)}\n\n${summaryMd(report)}Contents: ${contents.join(', ')}\n\n`
  yield `${heading('requirements', report)}${caveat}\n\n${frameworksMd(report)}`
  yield `${checksMd(report)}${waiversMd(report)}${decisionsMd(report)}`
  yield* findingsMd(report)
  yield resourcesMd(report)
}

/** Includes the tenant's name, of letters, digits and hyphens, so that headings and anchors are unique. */
function heading(part: Part, { tenant }: TenantReport): string {
  return `### ${parts[part]} of ${md(tenant)}\n\n`
}

function anchor(part: Part, { tenant }: TenantReport): string {
  return `${parts[part]} of ${tenant}`.toLowerCase().replaceAll(' ', '-')
}

function summaryMd(report: TenantReport): string {
  const { open, openTotal, waivedTotal, holds, standings } = report
  const bySeverity = severities.toReversed().flatMap((one) => (open[one] > 0 ? [`${open[one]} ${one}`] : []))
  return list([
    [`Data quality: ${qualityInWords(report)}`],
    [`Checks: ${countsInWords(standings, standingWord)}`],
    [`Findings: ${[`${openTotal} open`, ...bySeverity, `${waivedTotal} waived`].join(', ')}`],
    ...(report.clocksDiffer ? [[clocksDiffer] as const] : []),
    [
      `Holds: ${holds.length === 0 ? 'none' : holds.length}`,
      ...holds.map(({ resource, reason, count, raisedAt, message }) =>
        [resource, `${code(reason)} (${count}) since ${raisedAt}:`, md(message)].join(' '),
      ),
    ],
    [`Accepted: ${acceptedInWords(report)}`],
    [`Audit chain: ${chainInWords(report.chainHead, code)}`],
  ])
}

function frameworksMd({ frameworks }: TenantReport): string {
  const rows = frameworks.map(({ name, counts }) => [md(name), ...requirementStates.map((state) => `${counts[state]}`)])
  const overview = table(['Framework', ...requirementStates.map((state) => requirementWord[state])], rows)
  return `${overview}${frameworks.map(requirementsMd).join('')}`
}

function requirementsMd({ name, requirements }: ReportFramework): string {
  const items = requirements.map((one) => {
    const by = byStanding(one).map(([word, ids]) => `${word}: ${ids.map(code).join(', ')}`)
    return [`${md(one.id)} ${md(one.title)}: **${requirementWord[one.state]}**`, ...by] as const
  })
  return `#### ${md(name)}\n\n${list(items)}`
}

function checksMd(report: TenantReport): string {
  const rows = report.checks.map((one) => [
    md(one.check),
    one.reason === null ? standingWord[one.standing] : `${standingWord[one.standing]} (${one.reason})`,
    coverageInWords(one),
    one.since ?? '',
    md(one.title),
  ])
  const configured = report.checks.filter(({ options }) => Object.keys(options).length > 0)
  const options = list(configured.map((one) => [`${code(one.check)}: ${factsMd(factsIn(one.options))}`]))
  const assumed = report.checks.flatMap(({ check, assumption }) =>
    assumption === null ? [] : [[`${code(check)}: ${md(assumption)}`] as const],
  )
  const notEvaluated = report.checks.flatMap(({ check, notEvaluatedWhere: where }) =>
    where === null ? [] : [[`${code(check)}: where ${md(where)}`] as const],
  )
  return `${heading('checks', report)}${table(['Check', 'Status', 'Entities', 'Since', 'Passes when'], rows)}${notEvaluated.length === 0 ? '' : `Not evaluated, therefore unknown:\n\n${list(notEvaluated)}`}${assumed.length === 0 ? '' : `Not configured, therefore assumed:\n\n${list(assumed)}`}${configured.length === 0 ? '' : `Configured:\n\n${options}`}`
}

function waiversMd(report: TenantReport): string {
  const items = report.waivers.map((one) => {
    const covers = `covers ${plural(one.covered, 'finding')}, lapsed for ${one.lapsed}`
    return [
      `${md(one.id)}, **${one.state}**: ${code(one.check)} of ${md(one.entity)}, ${covers}`,
      `Owner ${md(one.owner)}, ends ${one.expires}: ${md(one.reason)}`,
    ] as const
  })
  return `${heading('waivers', report)}${items.length === 0 ? 'None.\n\n' : list(items)}`
}

function decisionsMd(report: TenantReport): string {
  const items = report.decisions.map(
    ({ at, accepted, subject, id, what, reason, appliedAt }) =>
      [
        `${at}: ${accepted} of ${subjectInWords(subject)} accepted, ${code(id)}, applied ${appliedAt ?? 'not yet'}`,
        `State ${code(what)}`,
        `Reason: ${md(reason)}`,
      ] as const,
  )
  return `${heading('decisions', report)}${items.length === 0 ? 'None.\n\n' : list(items)}`
}

async function* findingsMd(report: TenantReport): AsyncIterable<string> {
  const found = await mostSevere(report.findings())
  const note = found.total === 0 ? nothingFound : moreInWords(found)
  yield `${heading('findings', report)}${note === '' ? '' : `${note}\n\n`}`
  for (const [id, findings] of found.groups) {
    const check = report.checks.find((one) => one.check === id)
    const facts = check === undefined ? '' : `Passes when: ${md(check.title)}. ${coverageInWords(check)}.\n\n`
    const { shared, ownOf } = groupFacts(findings)
    const same = shared.length === 0 ? '' : `${inEach} ${factsMd(shared)}\n\n`
    yield `#### ${md(id)}\n\n${facts}${same}${list(findings.map((one) => item(one, ownOf(one))))}`
  }
}

function item(finding: ReportFinding, evidence: readonly Fact[]): readonly [string, ...string[]] {
  const { severity, state, message, entity, waiver, reopened, firstSeen, ageDays, fingerprint } = finding
  const marks = [
    [...entityWords(entity), ...namesIn(entity)].map(md).join(' '),
    `first seen ${firstSeen}, ${plural(ageDays, 'day')} old`,
    ...(waiver === null ? [] : [md(waiver.explanation ?? `waived by ${waiver.id} until ${waiver.expires}`)]),
    ...(reopened === 0 ? [] : [reopenedWords(reopened)]),
    code(fingerprint),
  ]
  return [
    `**${severity}${state === 'waived' ? ', waived' : ''}** ${md(message)}`,
    marks.join('; '),
    ...(evidence.length === 0 ? [] : [`Evidence: ${factsMd(evidence)}`]),
  ]
}

function factsMd(facts: readonly Fact[]): string {
  return facts.map(([name, text]) => `${md(name)} ${code(text)}`).join('; ')
}

function resourcesMd(report: TenantReport): string {
  const rows = report.resources.map((one) => [
    one.resource,
    resourceStateInWords(one),
    one.dataAsOf ?? 'never',
    one.ageSeconds === null ? '' : describeDuration(one.ageSeconds * 1000),
    describeDuration(one.limitSeconds * 1000),
    `${one.records}`,
    `${one.quarantined}`,
    one.held === 0 ? `${one.missing}` : `${one.missing}, ${one.held} on hold`,
  ])
  const columns = ['Resource', 'State', 'Data as of', 'Age', 'Limit', 'Records', 'Quarantined', 'Missing']
  return `${heading('data', report)}${table(columns, rows)}`
}
