import { html } from 'hono/html'
import type { FindingView } from '../../model/finding.ts'
import type { CheckView } from '../../model/posture.ts'
import { shownStatus, unknownReason } from '../../model/posture-state.ts'
import { reasonInWords } from '../../model/reasons.ts'
import { severities, total } from '../../model/severity.ts'
import { grouped as number, wordOf } from '../../model/text/words.ts'
import { describeDuration } from '../../model/time.ts'
import { findingList, namesOf } from './findings.ts'
import { advice, badge, foreign, type Html, severityCounts, severityTone, statusTone, type Tone } from './html.ts'
import type { TenantPage } from './load-page.ts'
import { hrefOf, isFiltered, runbookHref } from './page-query.ts'

/** A group shows this many findings, and its heading this many names. */
const most = { findings: 5, names: 3 }

const order = ['fail', 'unknown', 'waived', 'pass', 'not_applicable'] as const

/** Rank of the highest severity among the open findings; -1 without one. */
export function rankOf({ open }: CheckView): number {
  return severities.findLastIndex((severity) => (open[severity] ?? 0) > 0)
}

/** Those with the highest severity first, then what is unknown, what passes and what is off. */
export function sorted(checks: readonly CheckView[]): readonly CheckView[] {
  return checks.toSorted(
    (a, b) =>
      Number(b.enabled) - Number(a.enabled) ||
      order.indexOf(shownStatus(a)) - order.indexOf(shownStatus(b)) ||
      rankOf(b) - rankOf(a),
  )
}

/** Such as `4 pass, 2 not applicable, 1 off`. */
export function countsOf(views: readonly CheckView[]): string {
  const words = views.map((view) => (view.enabled ? wordOf(shownStatus(view)) : 'off'))
  return [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${length} ${word}`).join(', ')
}

/**
 * Checks, each in a line that opens; all that keeps one from being a plain pass or fail is in the line. With a filter,
 * those with findings are open and list all of them.
 */
export function checkList(views: readonly CheckView[], page: TenantPage): Html {
  const byCheck = Map.groupBy(page.findings.list, ({ check }) => check)
  return html`${views.map((view) => group(view, byCheck.get(view.check) ?? [], page))}`
}

function group(view: CheckView, found: readonly FindingView[], page: TenantPage): Html {
  const { tenant } = page.posture
  const isWhole = isFiltered(page.query)
  const openTotal = isWhole ? 0 : total(view.open)
  const shown = isWhole ? found : found.slice(0, most.findings)
  const anchor = `#findings-${tenant}`
  const link = (state: 'waived' | undefined, words: string) =>
    html`<a href="${hrefOf({}, { tenant: page.query.tenant, check: view.check, state }, anchor)}">${words}</a> `
  const rest = openTotal > shown.length ? link(undefined, `All ${number(openTotal)}`) : ''
  const waivedTotal = total(view.waived)
  const waived = waivedTotal > 0 ? link('waived', `${number(waivedTotal)} waived`) : ''
  // Another id than without the filter: the script keeps what is open and closed by id.
  const id = `${isWhole ? 'found' : 'check'}-${tenant}-${view.check}`
  return html`<details class="check edge-${toneOf(view)}" id="${id}"${isWhole && found.length > 0 ? html` open=""` : ''}><summary>${heading(view, found, page)}</summary>
${aboutCheck(view)}${shown.length === 0 ? '' : findingList(shown, page)}<p class="more">${rest}${waived}</p></details>
`
}

function toneOf(view: CheckView): Tone {
  const severity = severities[rankOf(view)]
  if (!view.enabled) return 'quiet'
  return severity === undefined || view.status === 'unknown' ? statusTone[shownStatus(view)] : severityTone[severity]
}

function heading(view: CheckView, found: readonly FindingView[], page: TenantPage): Html {
  const { check, title, enabled, since, problem, partial } = view
  const id = html`<code>${check}</code>`
  if (!enabled) return html`${badge('off', 'quiet')} ${id}`
  const shown = shownStatus(view)
  const code = shown === 'fail' ? html`<strong>${foreign(title)}</strong> ${id}` : id
  const counts = severityCounts(view.open, total(view.waived))
  const word = shown === 'fail' && rankOf(view) >= 0 ? '' : html`${badge(wordOf(shown), statusTone[shown])} `
  // A filter may select others than the open ones, which the heading counts.
  const first = isFiltered(page.query) ? [] : found.slice(0, most.names)
  const named = first.filter(({ entity: { type, id } }) => type !== id)
  const names = named.map((one) => namesOf(one, page)[0] ?? '')
  const more = total(view.open) - names.length
  const who = names.map((name, i) => html`${i === 0 ? '' : ', '}${foreign(name)}`)
  const reason = unknownReason(view) ?? partial ?? null
  const why = reason === null ? [] : [`${shown === 'fail' ? 'more may fail, ' : ''}${reasonInWords(reason)}`]
  if (problem !== undefined) why.push(problem)
  return html`${word}${counts} ${code} ${failing(view)} ${since === null ? '' : html`<span class="ago">for ${describeDuration(page.now - since)}</span>`}${
    names.length === 0 ? '' : html`<span class="who">${who}${more > 0 ? ` and ${number(more)} more` : ''}</span>`
  }${unevaluated(view, page)}${why.map((one) => html`<span class="why">${foreign(one)}</span>`)}`
}

/** Numbers of failing, of all and of unevaluated entities. An unknown check never shows 0, because more may fail. */
function failing(view: CheckView): Html | string {
  const { status, open, waived, entities } = view
  if (status === 'not_applicable') return ''
  const failed = total(open) + total(waived)
  const isOpenEnded = status === 'unknown'
  const count = isOpenEnded && failed === 0 ? '?' : `${isOpenEnded ? 'at least ' : ''}${number(failed)}`
  return html`<span class="num">${count} of ${entities === null ? '?' : number(entities)}</span>`
}

function unevaluated(view: CheckView, { secrets }: TenantPage): Html | string {
  const { notEvaluated, notEvaluatedWhere, unevaluated: ids = [] } = view
  if (notEvaluated === null || notEvaluated === 0) return ''
  const named = ids.map((id, i) => {
    const name = secrets.find(({ clientId }) => clientId === id)?.name ?? null
    return html`${i === 0 ? ': ' : ', '}${foreign(name === null ? id : `${name} (${id})`)}`
  })
  const more = named.length > 0 && notEvaluated > named.length ? ', …' : ''
  const where = notEvaluatedWhere === undefined ? '' : ` (${notEvaluatedWhere})`
  return html`<span class="why">${number(notEvaluated)} not evaluated${where}${named}${more}</span>`
}

/** What to do before what is at stake; once for all findings of the check. */
function aboutCheck({ passesWhen, risk, remediation, runbook, assumption }: CheckView): Html {
  const link = runbook === undefined ? '' : html` <a href="${runbookHref(runbook)}">Runbook ${runbook}</a>`
  return html`<p class="about">${advice(remediation)}${link}</p>
<p class="why">Passes when: ${foreign(passesWhen)}. ${foreign(risk)}${assumption === undefined ? '' : html` ${assumption}.`}</p>
`
}
