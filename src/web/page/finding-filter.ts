import { html } from 'hono/html'
import type { TenantPosture } from '../../model/posture.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { counted } from './load-findings.ts'
import { hrefOf, isFiltered, type PageQuery, parametersOf } from './page-query.ts'
import { type Html, number } from './text.ts'

const stateWords = { open: 'Open', waived: 'Waived', all: 'Open and waived' } as const

/** Links by severity and a form for the rest; works without a script. */
export function findingFilter(posture: TenantPosture, query: PageQuery): Html {
  const { tenant } = posture
  const anchor = `#findings-${tenant}`
  const clear = isFiltered(query)
    ? html`<a class="clear" href="${hrefOf(query, { severities: null, check: null, state: 'open', text: '' }, anchor)}" data-live="">Clear</a>`
    : ''
  return html`<nav class="chips" aria-label="Severity of the findings of ${tenant}">${chip('All', null, posture, query)}${severities
    .toReversed()
    .map((severity) => chip(severity, severity, posture, query))}</nav>
<form class="filter" id="filter-${tenant}" action="/${anchor}" method="get" data-live="" aria-label="Filter the findings of ${tenant}">
${parametersOf({ ...query, check: null, state: 'open', text: '' }).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
)}<label>Check <select name="check" id="check-${tenant}">${option('', 'every check', query.check ?? '')}${checkNames(posture, query).map((name) => option(name, name, query.check ?? ''))}</select></label>
<label>State <select name="state" id="state-${tenant}">${Object.entries(stateWords).map(([value, word]) => option(value, word, query.state))}</select></label>
<label class="grow">Text <input type="search" name="q" id="text-${tenant}" value="${query.text}" maxlength="200" autocomplete="off" spellcheck="false"></label>
<button type="submit">Filter</button>${clear}
</form>
`
}

function chip(word: string, severity: Severity | null, posture: TenantPosture, query: PageQuery): Html {
  const wanted = severity === null ? null : [severity]
  const isCurrent = (query.severities?.join() ?? null) === (wanted?.join() ?? null)
  const count = counted(posture, { ...query, severities: wanted })
  const href = hrefOf(query, { severities: wanted }, `#findings-${posture.tenant}`)
  const id = `severity-${severity ?? 'all'}-${posture.tenant}`
  return html`<a class="chip" id="${id}" href="${href}" data-live="" aria-current="${isCurrent ? 'true' : 'false'}">${word} <span class="num">${number(count)}</span></a>`
}

/** Enabled checks, and the one of the query although the tenant has no check of this name. */
function checkNames({ checks }: TenantPosture, query: PageQuery): readonly string[] {
  const known = checks.filter(({ enabled }) => enabled).map(({ check }) => check)
  return query.check === null || known.includes(query.check) ? known : [...known, query.check]
}

function option(value: string, word: string, selected: string): Html {
  const mark = value === selected ? html` selected=""` : ''
  return html`<option value="${value}"${mark}>${word}</option>`
}
