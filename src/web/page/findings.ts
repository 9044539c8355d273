import { html } from 'hono/html'
import { parseIsoDate } from '../../model/dates.ts'
import { namesIn } from '../../model/entity-names.ts'
import { driftIdIn, type FindingView, shortFingerprint } from '../../model/finding.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { withConfig } from '../../model/text/command-line.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import { counted, type FindingGroup } from './load-findings.ts'
import type { TenantPage } from './load-page.ts'
import { badge, severityCounts, severityTone } from './marks.ts'
import { hrefOf, isFiltered, type PageQuery, parametersOf, runbookHref, unfiltered, wholePage } from './page-query.ts'
import { part } from './table.ts'
import { command, factName, factText, foreign, type Html, instant } from './text.ts'

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
  const known = { checks, configFile, now }
  const body = isFiltered(query)
    ? list(found.list, known, 'No finding matches this filter.')
    : found.groups.map((one) => group(one, query, posture.tenant, known))
  const last = found.list.at(-1)
  const links = [
    ...(query.after === null ? [] : [['First page', hrefOf(query, {}, `#${id}`)] as const]),
    ...(found.hasMore && last !== undefined
      ? [['Next 50', hrefOf(query, { after: last.fingerprint }, `#${id}`)] as const]
      : []),
  ]
  return part(
    id,
    'Findings',
    html`${findingFilter(page, query)}<p class="count-line" id="count-${tenant}" role="status" aria-live="polite">${summary(page, query)}</p>
${body}<p class="more">${links.map(([word, href]) => html`<a href="${href}" data-live="jump">${word}</a> &middot; `)}All of them as <a href="${apiOf('findings', tenant, query)}">JSON</a> or <a href="${apiOf('findings.csv', tenant, query)}">CSV</a></p>`,
  )
}

/** Number of findings shown; screen readers announce changes. */
function summary({ posture, findings: found }: TenantPage, query: PageQuery): string {
  const isUnknown = posture.checks.some(({ enabled, status }) => enabled && status === 'unknown')
  const total = counted(posture, wholePage)
  if (!isFiltered(query)) {
    if (total > 0) return `${plural(total, 'open finding')}, by check`
    return `No finding is open.${isUnknown ? ' Checks above that are unknown may still fail.' : ''}`
  }
  if (found.areResolved) return 'No open finding matches any more; these were resolved'
  const isCounted = query.text === '' && query.state !== 'resolved'
  const matching = isCounted
    ? number(counted(posture, query))
    : `${found.list.length}${found.hasMore ? ' or more' : ''}`
  const shown = found.hasMore || query.after !== null ? `; shown: ${found.list.length}, the newest first` : ''
  return `${matching} ${found.list.length === 1 ? 'finding matches' : 'findings match'}${shown}`
}

function group({ check, shown }: FindingGroup, query: PageQuery, tenant: string, known: Known): Html {
  const total = Object.values(check.open).reduce((sum, count) => sum + count, 0)
  const href = hrefOf(wholePage, { tenant: query.tenant, check: check.check }, `#findings-${tenant}`)
  const rest =
    total > shown.length ? html`<p class="more"><a href="${href}" data-live="jump">All ${number(total)}</a></p>` : ''
  const isOpen = (check.open.critical ?? 0) + (check.open.high ?? 0) > 0 ? html` open=""` : ''
  return html`<details class="group" id="group-${tenant}-${check.check}"${isOpen}><summary><code>${check.check}</code> ${severityCounts(check.open, 0)}</summary>
${list(shown, known, '')}${rest}</details>
`
}

function list(views: readonly FindingView[], known: Known, empty: string): Html {
  if (views.length === 0) return html`<p class="empty">${empty}</p>`
  return html`<ul class="findings">${views.map((view) => item(view, known))}</ul>`
}

function item(view: FindingView, known: Known): Html {
  const { severity, state, resolvedAt, resolution, firstSeen, fingerprint } = view
  const waived = state === 'waived' ? html` ${badge('waived', 'quiet')}` : ''
  const when =
    resolvedAt === null
      ? html`first seen ${time(firstSeen, known.now)}`
      : html`${badge(resolution?.replaceAll('_', ' ') ?? 'resolved', 'good')} ${time(resolvedAt, known.now)}`
  return html`<li id="finding-${fingerprint}">${badge(severity, severityTone[severity])}${waived} ${entity(view)} <span class="said">${foreign(view.message)}</span> <span class="ago">${when}</span>${details(view, known)}</li>
`
}

/** Name first, then the id; of settings and the like the type alone. */
export function entity({ entity: one }: FindingView): Html {
  const { type, id } = one
  if (type === id) return html`<strong>${foreign(id)}</strong>`
  const names = namesIn(one)
  const name =
    names.length === 0 ? foreign(id) : html`${names.map((each, i) => html`${i === 0 ? '' : ' · '}${foreign(each)}`)}`
  return html`<strong>${name}</strong> <span class="type">${type}${names.length === 0 ? '' : html` ${foreign(id)}`}</span>`
}

function apiOf(route: string, tenant: string, { severities: wanted, check, state, text }: PageQuery): string {
  const parameters = new URLSearchParams({ tenant })
  if (wanted !== null) parameters.set('severity', wanted.join(','))
  if (check !== null) parameters.set('check', check)
  if (state !== 'open') parameters.set('state', state === 'all' ? 'open,waived' : state)
  if (text !== '') parameters.set('q', text)
  return `/api/v1/${route}?${parameters}`
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

/** A link with the number of findings under the other filters, where it is known without a search. */
function chip(word: string, severity: Severity | null, { posture }: TenantPage, query: PageQuery): Html {
  const wanted = severity === null ? null : [severity]
  const isCurrent = severity === null ? query.severities === null : query.severities?.includes(severity) === true
  const isKnown = query.text === '' && query.state !== 'resolved'
  const count = isKnown
    ? html` <span class="num">${number(counted(posture, { ...query, severities: wanted }))}</span>`
    : ''
  const href = hrefOf(query, { severities: wanted }, `#findings-${posture.tenant}`)
  const id = `severity-${severity ?? 'all'}-${posture.tenant}`
  return html`<a class="chip" id="${id}" href="${href}" data-live="" aria-current="${isCurrent ? 'true' : 'false'}">${word}${count}</a>`
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
