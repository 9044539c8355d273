import { html } from 'hono/html'
import { entityWords, namesIn } from '../model/entity-names.ts'
import { printable } from '../model/text/printable.ts'
import { grouped as number, plural, wordOf } from '../model/text/words.ts'
import { describeDuration } from '../model/time.ts'
import type { Trend } from '../model/trend.ts'
import {
  badge,
  factName,
  factText,
  type Html,
  part as section,
  severityTone,
  stamp,
  stateTone,
  statusTone,
  type Table,
  type Tone,
  table,
} from '../web/page/html.ts'
import { openFindings } from '../web/plots/open-findings.ts'
import { timeToFix, weeksOfFindings } from '../web/plots/weeks.ts'
import type { ReportCheck, ReportFinding, TenantReport } from './build-report.ts'
import { type ReportFramework, type RequirementState, requirementStates, standings } from './coverage.ts'
import { caveat, coverageInWords, type Part, parts, reopenedWords, resourceStateWord } from './words.ts'

type Fact = readonly [name: string, text: string]

/** Evidence or options as names and texts. */
export function factsIn(values: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(values).map(([name, value]) => [factName(name), factText(value)])
}

/** The facts that all findings of the group share, none for a single finding, and how to get the others of each. */
export function groupFacts(group: readonly ReportFinding[]) {
  const [first, ...others] = group.map(({ evidence }) => new Map(factsIn(evidence)))
  const isShared = ([name, value]: Fact) => others.length > 0 && others.every((facts) => facts.get(name) === value)
  const shared = [...(first ?? [])].filter(isShared)
  const names = new Set(shared.map(([name]) => name))
  return { shared, ownOf: ({ evidence }: ReportFinding) => factsIn(evidence).filter(([name]) => !names.has(name)) }
}

export interface TopFindings {
  /** Findings by check, the check with the highest severity first. */
  readonly groups: ReadonlyMap<string, readonly ReportFinding[]>
  readonly shown: number
  readonly total: number
}

export const tones = {
  ...statusTone,
  supported: 'quiet',
  off: 'unknown',
  no_check: 'quiet',
} as const satisfies Record<RequirementState | ReportCheck['standing'], Tone>

/** A part of a tenant's report; names of tenants contain no underscore, so that all ids differ. */
function part(name: Part, tenant: string, body: Html): Html {
  return section(`${name}-${tenant}`, parts[name], body)
}

function tablePart(name: Part, tenant: string, content: Omit<Table, 'labeledBy'>): Html {
  return part(name, tenant, table({ labeledBy: `${name}-${tenant}_title`, ...content }))
}

/** What happened in the period; nothing in a report of one moment. */
export function period({ tenant, period: of }: TenantReport, trend: Trend | null): Html | string {
  if (of === null) return ''
  const tables: readonly Omit<Table, 'labeledBy'>[] = [
    {
      columns: ['Severity', 'Opened', 'Resolved', 'Of these fixed', 'Median time to fix'],
      rows: of.findings.map(({ severity, opened, resolved, fixed, medianHoursToFix }) => [
        badge(severity, severityTone[severity]),
        number(opened),
        number(resolved),
        number(fixed),
        timeToFix(medianHoursToFix),
      ]),
      empty: 'None.',
    },
    {
      columns: ['Resource', 'Hours without data', 'Hours switched off'],
      rows: of.resources.map(({ resource, hoursWithoutData, hoursOff }) => [
        resource,
        String(hoursWithoutData),
        String(hoursOff),
      ]),
      empty: 'No resource was configured.',
    },
    {
      columns: ['Hold', 'Records', 'From', 'Until'],
      rows: of.holds.map(({ resource, reason, count, raised, ended }) => [
        html`${resource} <code>${reason}</code>`,
        number(count),
        when(raised),
        when(ended, 'lasts'),
      ]),
      empty: 'Nothing was on hold.',
    },
    {
      columns: ['Waiver in force', 'Check', 'Owner', 'From', 'Until', 'Lapsed for'],
      rows: of.waivers.map(({ id, check, owner, from, until, lapsed }) => [
        whole(id),
        html`<code>${check}</code>`,
        whole(owner),
        when(from),
        when(until),
        lapsed === 0 ? '' : plural(lapsed, 'finding'),
      ]),
      empty: 'No waiver was in force.',
    },
  ]
  const plots = trend === null ? '' : html`${openFindings(trend, tenant)}${weeksOfFindings(trend, tenant)}`
  const labeledBy = `period-${tenant}_title`
  const apart = tables.map((one) => html`<div class="apart">${table({ labeledBy, ...one })}</div>`)
  return part('period', tenant, html`${plots}${apart}`)
}

/** Lines to sign on, at the end of the report of a period. */
export function signatures({ tenant, period: of }: TenantReport): Html | string {
  if (of === null) return ''
  const lines = ['Prepared by', 'Reviewed by', 'Date']
  return part('signatures', tenant, html`<dl class="sign">${lines.map((line) => html`<dt>${line}</dt><dd></dd>`)}</dl>`)
}

export function requirements({ tenant, frameworks }: TenantReport): Html {
  const overview = table({
    labeledBy: `requirements-${tenant}_title`,
    columns: ['Framework', ...requirementStates.map((state) => wordOf(state))],
    rows: frameworks.map(({ id, name, counts }) => [
      html`<a href="#requirements-${tenant}_${id}">${name}</a>`,
      ...requirementStates.map((state) =>
        counts[state] === 0 ? '–' : html`${badge(number(counts[state]), tones[state])}`,
      ),
    ]),
    empty: 'No framework is known.',
  })
  const each = frameworks.map((framework) => requirementsOf(tenant, framework))
  return part('requirements', tenant, html`<p class="note">${caveat}</p>${overview}${each}`)
}

function requirementsOf(tenant: string, { id, name, requirements: all }: ReportFramework): Html {
  const title = `requirements-${tenant}_${id}`
  const [covered, others] = [
    all.filter(({ checks }) => checks.length > 0),
    all.filter(({ checks }) => checks.length === 0),
  ]
  const folded = html`<details><summary>${plural(others.length, 'requirement')} without a check</summary><ul>${others.map((one) => html`<li>${one.id}: ${one.title}</li>`)}</ul></details>`
  return html`<h4 id="${title}">${name}</h4>
${table({
  labeledBy: title,
  kind: 'data',
  columns: ['Requirement', 'State', 'About', 'By'],
  rows: covered.map((one) => [
    one.id,
    badge(wordOf(one.state), tones[one.state]),
    one.title,
    html`${standings.map((standing) => {
      const of = one.checks.filter((check) => check.standing === standing)
      if (of.length === 0) return ''
      return html`<span class="by">${wordOf(standing)}: ${of.map(({ check }) => html`<a href="#checks-${tenant}_${check}"><code>${check}</code></a> `)}</span>`
    })}`,
  ]),
  empty: 'None.',
})}${others.length === 0 ? '' : folded}`
}

export function checks({ tenant, checks: all }: TenantReport, { groups }: TopFindings): Html {
  return tablePart('checks', tenant, {
    kind: 'data',
    columns: ['Check', 'Status', 'Entities', 'Since', 'Configured'],
    rows: all.map((one) => [
      html`<code>${one.check}</code><span class="why">Passes when: ${whole(one.title)}</span>${one.assumption === null ? '' : html`<span class="why">${one.assumption}.</span>`}`,
      html`${badge(wordOf(one.standing), tones[one.standing])}${one.reason === null ? '' : html`<span class="why">${one.reason}</span>`}`,
      html`${
        groups.has(one.check)
          ? html`<a href="#findings-${tenant}_${one.check}">${coverageInWords(one)}</a>`
          : coverageInWords(one)
      }${one.notEvaluatedWhere === null ? '' : html`<span class="why">unknown where ${one.notEvaluatedWhere}</span>`}`,
      when(one.since, '–'),
      Object.keys(one.options).length === 0 ? '–' : facts(factsIn(one.options)),
    ]),
    ids: all.map(({ check }) => `checks-${tenant}_${check}`),
    empty: 'No check was configured.',
  })
}

export function waivers({ tenant, waivers: all }: TenantReport): Html {
  return tablePart('waivers', tenant, {
    columns: ['Waiver', 'State', 'Check and entity', 'Covers', 'Owner', 'Ends'],
    rows: all.map((one) => [
      html`${whole(one.id)}<span class="why">${whole(one.reason)}</span>`,
      badge(one.state, one.state === 'active' ? 'good' : 'warn'),
      html`<code>${one.check}</code><span class="why">${whole(one.entity)}</span>`,
      html`${number(one.covered)}${one.lapsed === 0 ? '' : html`<span class="why">lapsed for ${number(one.lapsed)}</span>`}`,
      whole(one.owner),
      when(one.expires),
    ]),
    empty: 'No waiver was configured.',
  })
}

export function decisions({ tenant, decisions: all }: TenantReport): Html {
  return tablePart('decisions', tenant, {
    columns: ['Accepted', 'What', 'Reason', 'Applied'],
    rows: all.map(({ at, accepted, subject, id, what, reason, by, appliedAt }) => [
      when(at),
      html`${accepted} of ${subject === 'all' ? 'the whole tenant' : subject} <code class="id">${whole(id)}: ${whole(what)}</code>`,
      html`${whole(reason)}${by === null ? '' : html`<span class="why">by ${whole(by)}</span>`}`,
      when(appliedAt, 'not yet'),
    ]),
    empty: 'No hold and no drift was accepted.',
  })
}

export function findings({ tenant, checks: all }: TenantReport, found: TopFindings): Html {
  const { shown, total } = found
  const more = `The most severe ${number(shown)} of ${number(total)}; the JSON report has all.`
  const none = 'No finding was open. Checks above that are unknown may still fail.'
  const note = total === 0 ? none : shown === total ? '' : more
  const groups = [...found.groups].map(([id, list]) => {
    const check = all.find((one) => one.check === id)
    const { shared, ownOf } = groupFacts(list)
    return html`<h4 id="findings-${tenant}_${id}"><code>${id}</code>${check === undefined ? '' : html` <small>passes when: ${whole(check.title)}; ${coverageInWords(check)}</small>`}</h4>
${shared.length === 0 ? '' : html`<p class="count-line">The same in each finding:</p>${facts(shared)}`}<ul class="findings">${list.map((finding) => item(finding, ownOf(finding)))}</ul>
`
  })
  return part('findings', tenant, html`${note === '' ? '' : html`<p class="note">${note}</p>`}${groups}`)
}

function item(finding: ReportFinding, evidence: readonly Fact[]): Html {
  const { severity, state, message, waiver, reopened, entity, fingerprint, owner, link } = finding
  const tone = state === 'waived' ? 'quiet' : severityTone[severity]
  const notes = [
    ...(waiver === null ? [] : [waiver.explanation ?? `waived by ${waiver.id} until ${waiver.expires}`]),
    ...(reopened === 0 ? [] : [reopenedWords(reopened)]),
  ]
  return html`<li><p>${badge(severity, tone)} ${state === 'waived' ? badge('waived', 'quiet') : ''} ${whole(message)}${notes.map((note) => html`<span class="why">${whole(note)}</span>`)}</p>
<dl class="facts">${fact('Entity', html`${[...entityWords(entity), ...namesIn(entity)].map((name) => html`${whole(name)} `)}${link === null ? '' : html`<a href="${link}" rel="noreferrer">in the portal</a>`}`)}${owner === null ? '' : fact('Owner', whole(owner))}${fact('First seen', html`${when(finding.firstSeen)}, ${plural(finding.ageDays, 'day')} old`)}${fact('Fingerprint', html`<code>${fingerprint}</code>`)}</dl>
${facts(evidence)}</li>
`
}

function facts(all: readonly Fact[]): Html {
  return html`<dl class="facts">${all.map(([name, text]) => fact(name, whole(text)))}</dl>`
}

function fact(name: string, value: Html): Html {
  return html`<div><dt>${whole(name)}:</dt> <dd>${value}</dd></div> `
}

export function dataQuality({ tenant, resources }: TenantReport): Html {
  return tablePart('data', tenant, {
    kind: 'data',
    columns: ['Resource', 'State', 'Data as of', 'Age against limit', 'Records', 'Incomplete'],
    rows: resources.map((one) => [
      one.resource,
      html`${badge(resourceStateWord(one.state, one.dataAsOf), stateTone[one.state])} ${one.reasons.filter((reason) => reason !== one.state).map((reason) => html`<span class="why">${reason}</span>`)}`,
      when(one.dataAsOf, 'never'),
      `${one.ageSeconds === null ? '–' : describeDuration(one.ageSeconds * 1000)} of ${describeDuration(one.limitSeconds * 1000)}`,
      number(one.records),
      `${number(one.quarantined)} quarantined, ${number(one.missing)} missing${one.held === 0 ? '' : `, ${number(one.held)} on hold`}`,
    ]),
    empty: 'No resource is configured.',
  })
}

/** A text from the tenant, uncut: escaped, and isolated so that it cannot change the writing direction around it. */
export function whole(text: string): Html {
  return html`<bdi>${printable(text)}</bdi>`
}

export function when(iso: string | null, never = ''): Html | string {
  return iso === null ? never : stamp(Date.parse(iso))
}
