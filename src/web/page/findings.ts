import { html } from 'hono/html'
import { parseIsoDate } from '../../model/dates.ts'
import { namesIn } from '../../model/entity-names.ts'
import { driftIdIn, type FindingView, shortFingerprint } from '../../model/finding.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { withConfig } from '../../model/text/command-line.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import { counted, type FoundFindings, type TenantPage } from './load-page.ts'
import { badge, severityTone } from './marks.ts'
import {
  hrefOf,
  isFiltered,
  type PageQuery,
  parametersOf,
  runbookHref,
  type SortKey,
  unfiltered,
} from './page-query.ts'
import { type Column, part, table } from './table.ts'
import { command, factName, factText, foreign, type Html, instant, namedAs } from './text.ts'

/** The page shows the first facts; `explain` shows all. */
const maxFacts = 24

interface Known extends Pick<TenantPage, 'configFile'> {
  readonly checks: ReadonlyMap<string, CheckView>
  readonly now: number
}

function details(finding: FindingView, { checks, configFile, now }: Known): Html {
  const { fingerprint, waiver, reopened } = finding
  const driftId = driftIdIn(finding)
  const facts = Object.entries(finding.evidence)
  const rest = facts.length > maxFacts ? html`<dt>More</dt><dd>${number(facts.length - maxFacts)} more facts</dd>` : ''
  const again = reopened === 0 ? '' : html`<dt>Reopened</dt><dd>${number(reopened)} times</dd>`
  const accepted =
    waiver === null
      ? ''
      : html`<dt>Waiver</dt><dd>${foreign(waiver.id)} (${waiver.state}, to ${waiver.expires}, ${foreign(waiver.owner)}): ${foreign(waiver.reason)} ${foreign(waiver.explanation ?? '')}</dd>`
  const accept =
    driftId === null
      ? ''
      : html`<dt>If the change is intended</dt><dd>${command(`accept ${driftId} --reason TEXT`, configFile)}</dd>`
  const check = checks.get(finding.check)
  const advice =
    check === undefined
      ? ''
      : html`<dt>Risk</dt><dd>${foreign(check.risk)}</dd><dt>To do</dt><dd>${foreign(withConfig(check.remediation, configFile))}</dd>${check.runbook === undefined ? '' : html`<dt>Runbook</dt><dd><a href="${runbookHref(check.runbook)}">${check.runbook}</a></dd>`}`
  const waive =
    finding.state === 'open'
      ? html`<dt>If it is accepted</dt><dd>${command(`waive ${shortFingerprint(fingerprint)} --reason TEXT --owner WHO --expires DATE`, configFile)}</dd>`
      : ''
  return html`<details id="evidence-${fingerprint}"><summary>What to do, and the evidence</summary>
<dl>${advice}${accept}${waive}${facts.slice(0, maxFacts).map(([name, value]) => html`<dt>${foreign(factName(name))}</dt><dd>${foreign(factText(value))}</dd>`)}${rest}<dt>First seen</dt><dd>${time(finding.firstSeen, now)}</dd><dt>Last seen</dt><dd>${time(finding.lastSeen, now)}</dd>${again}${accepted}<dt>In full</dt><dd>${command(`explain ${shortFingerprint(fingerprint)}`, configFile)}</dd></dl>
</details>`
}

function time(iso: string, now: number): Html {
  return instant(parseIsoDate(iso)?.ms ?? null, now)
}

export function findings(page: TenantPage, query: PageQuery, now: number): Html {
  const { posture, findings: found, configFile } = page
  const { tenant } = posture
  const id = `findings-${tenant}`
  const checks = new Map(posture.checks.map((check) => [check.check, check]))
  const body = table({
    kind: 'findings',
    labeledBy: `${id}_title`,
    columns: columnsOf(query, `#${id}`),
    head: 2,
    rows: found.shown.map((view) => row(view, now)),
    below: found.shown.map((view) => details(view, { checks, configFile, now })),
    ids: found.shown.map(({ fingerprint }) => `finding-${fingerprint}`),
    empty: isFiltered(query)
      ? 'No finding matches this filter.'
      : `No finding is open.${posture.checks.some(({ enabled, status }) => enabled && status === 'unknown') ? ' Checks above that are unknown may still fail.' : ''}`,
  })
  return part(
    id,
    'Findings',
    html`${findingFilter(page, query)}<p class="count-line" id="count-${tenant}" role="status" aria-live="polite">${summary(found, query)}</p>
${body}<p class="more">${otherPages(found, query, `#${id}`)}All of them as <a href="${apiOf('findings', tenant, query)}">JSON</a> or <a href="${apiOf('findings.csv', tenant, query)}">CSV</a></p>`,
  )
}

function apiOf(route: string, tenant: string, { severities: wanted, check, state, text }: PageQuery): string {
  const parameters = new URLSearchParams({ tenant })
  if (wanted !== null) parameters.set('severity', wanted.join(','))
  if (check !== null) parameters.set('check', check)
  if (state !== 'open') parameters.set('state', state === 'all' ? 'open,waived' : state)
  if (text !== '') parameters.set('q', text)
  return `/api/v1/${route}?${parameters}`
}

function row(view: FindingView, now: number): readonly (Html | string)[] {
  const waived = view.state === 'waived' ? html` ${badge('waived', 'quiet')}` : ''
  return [
    html`${badge(view.severity, severityTone[view.severity])}${waived}`,
    foreign(view.message),
    entity(view),
    html`<code>${view.check}</code>`,
    instant(parseIsoDate(view.firstSeen)?.ms ?? null, now),
  ]
}

/** Narrow screens omit the id if the sentence names it or there is only one entity of the type. */
function entity({ message, entity: one }: FindingView): Html {
  const { type, id } = one
  if (type === id) return html`<span class="said">${foreign(id)}</span>`
  return html`<span class="${message.includes(id) ? 'type said' : 'type'}">${type}</span> ${foreign(id)}${namedAs(namesIn(one))}`
}

const stateWords = { open: 'open', waived: 'waived', resolved: 'resolved', all: 'open or waived' } as const

function otherPages({ shown, after, hasMore }: FoundFindings, query: PageQuery, anchor: string): Html {
  const last = shown.at(-1)
  const size = shown.length
  const links = [
    ...(after === null ? [] : [['First page', {}] as const]),
    ...(hasMore && last !== undefined ? [[`Next ${size}`, { after: last.fingerprint }] as const] : []),
    ...(query.long || !hasMore ? [] : [['More on one page', { long: true, after }] as const]),
  ]
  return html`${links.map(([word, over]) => html`<a href="${hrefOf(query, over, anchor)}" data-live="jump">${word}</a> &middot; `)}`
}

/** Number of findings shown; screen readers announce changes. */
function summary({ shown, matching, total, after }: FoundFindings, query: PageQuery): string {
  const all = `${stateWords[query.state]} ${total === 1 ? 'finding' : 'findings'}`
  const match = isFiltered({ ...query, state: 'open' })
    ? `${number(matching)} of ${number(total)} ${all} match`
    : `${number(total)} ${all}`
  if (shown.length >= matching) return match
  const which =
    after === null ? `the ${number(shown.length)} ${first(query)}` : `${number(shown.length)} of the later ones`
  return `${match}; shown: ${which}`
}

function first({ sort, reversed }: PageQuery): string {
  if (sort === 'severity') return reversed ? 'least severe' : 'most severe'
  if (sort === 'age') return reversed ? 'newest' : 'oldest'
  return 'first'
}

const headings: readonly (readonly [name: string, key: SortKey | null])[] = [
  ['Severity', 'severity'],
  ['Finding', null],
  ['Entity', 'entity'],
  ['Check', 'check'],
  ['First seen', 'age'],
]

function columnsOf(query: PageQuery, anchor: string): readonly Column[] {
  return headings.map(([name, key]) => {
    if (key === null) return { name }
    const isSorted = query.sort === key
    const falls = (key === 'severity') !== query.reversed
    const href = hrefOf(query, { sort: key, reversed: isSorted && !query.reversed }, anchor)
    return { name, sort: { href, order: isSorted ? (falls ? 'descending' : 'ascending') : 'none' } }
  })
}

const stateOptions = { open: 'Open', waived: 'Waived', resolved: 'Resolved', all: 'Open and waived' } as const

/** Links by severity and a form for the rest; works without a script. */
function findingFilter(page: TenantPage, query: PageQuery): Html {
  const { posture, exposeDetails } = page
  const { tenant } = posture
  const anchor = `#findings-${tenant}`
  const clear = isFiltered(query)
    ? html`<a class="clear" href="${hrefOf(query, unfiltered, anchor)}" data-live="">Clear</a>`
    : ''
  return html`<nav class="chips" aria-label="Severity of the findings of ${tenant}">${chip('All', null, page, query)}${severities
    .toReversed()
    .map((severity) => chip(severity, severity, page, query))}</nav>
<form class="filter" id="filter-${tenant}" action="/${anchor}" method="get" data-live="" aria-label="Filter the findings of ${tenant}">
${parametersOf({ ...query, check: null, state: 'open', text: '', after: null }).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
)}<label>Check <select name="check" id="check-${tenant}">${option('', 'every check', query.check ?? '')}${checkNames(posture, query).map((name) => option(name, name, query.check ?? ''))}</select></label>
<label>State <select name="state" id="state-${tenant}">${Object.entries(stateOptions).map(([value, word]) => option(value, word, query.state))}</select></label>
<label class="grow">Text <input type="search" name="q" id="text-${tenant}" value="${query.text}" placeholder="${exposeDetails ? 'Name, e-mail, file, id, word' : 'Id or word'}" maxlength="200" autocomplete="off" spellcheck="false"></label>
<button type="submit">Filter</button>${clear}
</form>
`
}

/** A link with the count under the other filters, text included. */
function chip(
  word: string,
  severity: Severity | null,
  { posture, findings: found }: TenantPage,
  query: PageQuery,
): Html {
  const wanted = severity === null ? null : [severity]
  const isCurrent = severity === null ? query.severities === null : query.severities?.includes(severity) === true
  const some: readonly Severity[] = wanted ?? severities
  const matches = found.bySeverity
  const count =
    matches === null
      ? counted(posture, { ...query, severities: wanted })
      : some.reduce((sum, one) => sum + matches[one], 0)
  const href = hrefOf(query, { severities: wanted }, `#findings-${posture.tenant}`)
  const id = `severity-${severity ?? 'all'}-${posture.tenant}`
  return html`<a class="chip" id="${id}" href="${href}" data-live="" aria-current="${isCurrent ? 'true' : 'false'}">${word} <span class="num">${number(count)}</span></a>`
}

/** Enabled checks, and that of the query, even if the tenant does not have it. */
function checkNames({ checks }: TenantPosture, query: PageQuery): readonly string[] {
  const known = checks.filter(({ enabled }) => enabled).map(({ check }) => check)
  return query.check === null || known.includes(query.check) ? known : [...known, query.check]
}

function option(value: string, word: string, selected: string): Html {
  const mark = value === selected ? html` selected=""` : ''
  return html`<option value="${value}"${mark}>${word}</option>`
}
