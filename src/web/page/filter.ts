import { html } from 'hono/html'
import { isUnknown } from '../../model/describe.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { highestFirst, type Severity, severities, total } from '../../model/severity.ts'
import { grouped as number, plural } from '../../model/text/words.ts'
import type { Html } from './html.ts'
import type { TenantPage } from './load-page.ts'
import { hrefOf, isFiltered, type PageQuery, pageStates, parametersOf, unfiltered } from './page-query.ts'

const stateWords = { open: 'Open', waived: 'Waived', resolved: 'Resolved', all: 'All' } as const

/** Links by severity and a form for the rest, which works without a script; then the number of findings. */
export function findingFilter(page: TenantPage): Html {
  const { posture, exposeDetails, query } = page
  const { tenant } = posture
  const anchor = `#findings-${tenant}`
  const clear = isFiltered(query) ? html`<a class="clear" href="${hrefOf(query, unfiltered, anchor)}">Clear</a>` : ''
  const kept = parametersOf({ tenant: query.tenant, severity: query.severity, days: query.days, find: query.find })
  return html`<nav class="chips" aria-label="Severity of the findings of ${tenant}">${[undefined, ...highestFirst].map((severity) => chip(severity, page))}</nav>
<form class="filter" id="filter-${tenant}" action="./${anchor}" method="get" aria-label="Filter the findings of ${tenant}">
${[...kept].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<label>Check <select name="check" id="check-of-${tenant}">${option('', 'every check', query.check ?? '')}${checkNames(posture, query).map((name) => option(name, name, query.check ?? ''))}</select></label>
${ownerChoice(page)}<label>State <select name="state" id="state-${tenant}">${pageStates.map((one) => option(one, stateWords[one], query.state ?? 'open'))}</select></label>
<label class="grow">Text <input type="search" name="q" id="text-${tenant}" value="${query.q ?? ''}" placeholder="${exposeDetails ? 'Name, e-mail, file, id, word' : 'Id or word'}" maxlength="200" autocomplete="off" spellcheck="false"></label>
<button type="submit">Filter</button>${clear}</form>
<p class="count-line" id="count-${tenant}" role="status" aria-live="polite">${summary(page)}</p>
`
}

/** Only where owners are configured. */
function ownerChoice({ owners, query: { owner = '' }, posture: { tenant } }: TenantPage): Html | string {
  if (owners.length === 0) return ''
  return html`<label>Owner <select name="owner" id="owner-${tenant}">${option('', 'everybody', owner)}${owners.map((name) => option(name, name, owner))}</select></label>
`
}

/** To the other parts of the list, and to the same findings for programs. */
export function findingLinks({ posture: { tenant }, query, findings }: TenantPage): Html {
  const anchor = `#findings-${tenant}`
  const last = findings.list.at(-1)
  const links: (readonly [word: string, href: string])[] = []
  if (query.after !== undefined) links.push(['First page', hrefOf(query, {}, anchor)])
  if (findings.hasMore && last !== undefined)
    links.push(['Next 50', hrefOf(query, { after: last.fingerprint }, anchor)])
  return html`<p class="more">${links.map(([word, href]) => html`<a href="${href}">${word}</a> &middot; `)}All of them as <a href="${apiOf('findings', tenant, query)}">JSON</a> or <a href="${apiOf('findings.csv', tenant, query)}">CSV</a></p>`
}

/** Number of findings shown; screen readers announce changes. */
function summary({ posture, findings, query }: TenantPage): string {
  if (!isFiltered(query)) {
    const open = counted(posture, {})
    if (open > 0) return `${plural(open, 'open finding')}, by check`
    const mayFail = posture.checks.some(isUnknown)
    return `No finding is open.${mayFail ? ' Checks that are unknown may still fail.' : ''}`
  }
  const { list, hasMore } = findings
  const matching = isCounted(query) ? number(counted(posture, query)) : `${list.length}${hasMore ? ' or more' : ''}`
  const shown = hasMore || query.after !== undefined ? `; shown: ${list.length}, the newest first` : ''
  return `${matching} ${list.length === 1 ? 'finding matches' : 'findings match'}${shown}`
}

/** True if the number of findings is known without a search. */
function isCounted({ q, owner, state }: PageQuery): boolean {
  return (q ?? owner) === undefined && (state === undefined || state === 'open' || state === 'waived')
}

/** Number of findings that match the query, from the counts of the checks. */
function counted(posture: TenantPosture, { check, state = 'open', severity = severities }: PageQuery): number {
  const views = posture.checks.filter((view) => check === undefined || view.check === check)
  const sumOf = (of: 'open' | 'waived') => views.reduce((sum, view) => sum + total(view[of], severity), 0)
  return (state === 'waived' ? 0 : sumOf('open')) + (state === 'open' ? 0 : sumOf('waived'))
}

function chip(severity: Severity | undefined, { posture, query }: TenantPage): Html {
  const wanted = severity === undefined ? undefined : [severity]
  const isCurrent = severity === undefined ? query.severity === undefined : query.severity?.includes(severity) === true
  const count = isCounted(query)
    ? html` <span class="num">${number(counted(posture, { ...query, severity: wanted }))}</span>`
    : ''
  const href = hrefOf(query, { severity: wanted }, `#findings-${posture.tenant}`)
  const id = `severity-${severity ?? 'all'}-${posture.tenant}`
  return html`<a class="chip" id="${id}" href="${href}" aria-current="${isCurrent ? 'true' : 'false'}">${severity ?? 'All'}${count}</a>`
}

/** Enabled checks, and that of the query, even if the tenant does not have it. */
function checkNames({ checks }: TenantPosture, { check }: PageQuery): readonly string[] {
  const known = checks.filter(({ enabled }) => enabled).map((view) => view.check)
  return check === undefined || known.includes(check) ? known : [...known, check]
}

function option(value: string, word: string, selected: string): Html {
  return html`<option value="${value}"${value === selected ? html` selected=""` : ''}>${word}</option>`
}

function apiOf(route: string, tenant: string, { severity, check, owner, state, q }: PageQuery): string {
  return `./api/v1/${route}?${parametersOf({ tenant, severity, check, owner, state, q })}`
}
