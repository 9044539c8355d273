import { html } from 'hono/html'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { severities } from '../../model/severity.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import { badge, severityCounts, statusTone, statusWord } from './marks.ts'
import { hrefOf, type PageQuery, wholePage } from './page-query.ts'
import { part, table } from './table.ts'
import { foreign, type Html, instant } from './text.ts'

const order = ['fail', 'unknown', 'pass', 'not_applicable'] as const

export function checks(posture: TenantPosture, query: PageQuery, now: number): Html {
  const id = `checks-${posture.tenant}`
  const sorted = posture.checks.toSorted(
    (a, b) =>
      Number(b.enabled) - Number(a.enabled) ||
      order.indexOf(a.status) - order.indexOf(b.status) ||
      highestOf(b) - highestOf(a),
  )
  const link = (check: string) =>
    hrefOf(wholePage, { tenant: query.tenant, check, state: 'all' }, `#findings-${posture.tenant}`)
  const list = (some: readonly CheckView[]) =>
    table({
      kind: 'checks',
      labeledBy: `${id}_title`,
      columns: ['Check', 'Status', 'Fail', 'Findings', 'Since'],
      rows: some.map((check) => row(check, link(check.check), now)),
      empty: 'No check is configured.',
    })
  const ofStatus = (...some: readonly CheckView['status'][]) =>
    sorted.filter(({ enabled, status }) => enabled && some.includes(status))
  const wrong = ofStatus('fail', 'unknown')
  const shown = wrong.length > 0 ? wrong : ofStatus('pass')
  const others = sorted.slice(shown.length)
  if (shown.length === 0 || others.length === 0) return part(id, 'Checks', list(sorted))
  const folded = html`<details id="other-${id}"><summary>${countsOf(others)}</summary>${list(others)}</details>`
  return part(id, 'Checks', html`${list(shown)}${folded}`)
}

/** Such as `4 pass, 2 not applicable, 1 off`. */
function countsOf(views: readonly CheckView[]): string {
  const words = views.map(({ enabled, status }) => (enabled ? statusWord(status) : 'off'))
  return [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${length} ${word}`).join(', ')
}

/** Rank of the highest severity among the open findings; -1 without one. */
function highestOf({ open }: CheckView): number {
  return severities.findLastIndex((severity) => (open[severity] ?? 0) > 0)
}

function row(view: CheckView, link: string, now: number): readonly (Html | string)[] {
  const assumption = view.assumption === undefined ? '' : html`<span class="why">${view.assumption}</span>`
  const name = html`<code>${view.check}</code><span class="why">${foreign(view.title)}</span>${assumption}`
  if (!view.enabled) return [name, badge('off', 'quiet'), '–', '–', '–']
  const reason = view.reason === null ? '' : html`<span class="why">${view.reason}</span>`
  const problem = view.problem === undefined ? '' : html`<span class="why">${foreign(view.problem)}</span>`
  return [
    name,
    html`${badge(statusWord(view.status), statusTone[view.status])}${reason}${problem}`,
    failing(view),
    findingCounts(view, link),
    view.since === null ? '–' : instant(view.since, now),
  ]
}

/** Failing entities of all, and those not evaluated. An unknown check never shows 0: more may fail. */
function failing({ status, open, waived, entities, notEvaluated, unevaluated = [] }: CheckView): Html | string {
  if (status === 'not_applicable') return '–'
  const sumOf = (counts: CheckView['open']) => severities.reduce((sum, severity) => sum + (counts[severity] ?? 0), 0)
  const accepted = sumOf(waived)
  const failed = sumOf(open) + accepted
  const isOpenEnded = status === 'unknown'
  const atLeast = isOpenEnded && failed > 0 ? 'at least' : ''
  const count = isOpenEnded && failed === 0 ? '?' : number(failed)
  const waivers = accepted > 0 ? html`<span class="why">${number(accepted)} waived</span>` : ''
  return html`${atLeast} <span class="num">${count} of ${entities === null ? '?' : number(entities)}</span>${waivers}${unevaluatedOf({ notEvaluated, unevaluated })}`
}

function unevaluatedOf({
  notEvaluated,
  unevaluated = [],
}: Pick<CheckView, 'notEvaluated' | 'unevaluated'>): Html | string {
  if (notEvaluated === null || notEvaluated === 0) return ''
  const more = notEvaluated > unevaluated.length ? ', …' : ''
  const ids = unevaluated.length === 0 ? '' : html`: ${foreign(unevaluated.join(', '))}${more}`
  return html`<span class="why">${number(notEvaluated)} not evaluated${ids}</span>`
}

function findingCounts({ check, open, waived }: CheckView, link: string): Html | string {
  const counts = severityCounts(
    open,
    severities.reduce((sum, severity) => sum + (waived[severity] ?? 0), 0),
  )
  if (counts.length === 0) return '–'
  return html`<a class="counts" href="${link}" data-live="jump"><span class="unseen">Findings of ${check}: </span>${counts}</a>`
}
