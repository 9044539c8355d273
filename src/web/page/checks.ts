import { html } from 'hono/html'
import type { CheckView } from '../../model/posture.ts'
import { type ShownStatus, shownStatus } from '../../model/posture-state.ts'
import { severities, total } from '../../model/severity.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import type { TenantPage } from './load-page.ts'
import { badge, severityCounts, statusTone, statusWord } from './marks.ts'
import { hrefOf, type PageQuery, wholePage } from './page-query.ts'
import { part, table } from './table.ts'
import { foreign, type Html, instant } from './text.ts'

type Checked = Pick<TenantPage, 'posture' | 'secrets'>
/** Known names of API clients, by id. */
type Names = ReadonlyMap<string, string | null>

const order = ['fail', 'unknown', 'waived', 'pass', 'not_applicable'] as const

export function checks({ posture, secrets }: Checked, query: PageQuery, now: number): Html {
  const clients = new Map(secrets.map(({ clientId, name }) => [clientId, name]))
  const id = `checks-${posture.tenant}`
  const sorted = posture.checks.toSorted(
    (a, b) =>
      Number(b.enabled) - Number(a.enabled) ||
      order.indexOf(shownStatus(a)) - order.indexOf(shownStatus(b)) ||
      highestOf(b) - highestOf(a),
  )
  const link = (check: string) =>
    hrefOf(wholePage, { tenant: query.tenant, check, state: 'all' }, `#findings-${posture.tenant}`)
  const list = (some: readonly CheckView[]) =>
    table({
      kind: 'checks',
      labeledBy: `${id}_title`,
      columns: ['Check', 'Status', 'Fail', 'Findings', 'Since'],
      rows: some.map((check) => row(check, { link: link(check.check), clients, now })),
      empty: 'No check is configured.',
    })
  const ofStatus = (...some: readonly ShownStatus[]) =>
    sorted.filter((view) => view.enabled && some.includes(shownStatus(view)))
  const wrong = ofStatus('fail', 'unknown')
  const shown = wrong.length > 0 ? wrong : ofStatus('waived', 'pass')
  const others = sorted.slice(shown.length)
  if (shown.length === 0 || others.length === 0) return part(id, 'Checks', list(sorted))
  const folded = html`<details id="other-${id}"><summary>${countsOf(others)}</summary>${list(others)}</details>`
  return part(id, 'Checks', html`${list(shown)}${folded}`)
}

/** Such as `4 pass, 2 not applicable, 1 off`. */
function countsOf(views: readonly CheckView[]): string {
  const words = views.map((view) => (view.enabled ? statusWord(shownStatus(view)) : 'off'))
  return [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${length} ${word}`).join(', ')
}

/** Rank of the highest severity among the open findings; -1 without one. */
function highestOf({ open }: CheckView): number {
  return severities.findLastIndex((severity) => (open[severity] ?? 0) > 0)
}

interface RowContext {
  readonly link: string
  readonly clients: Names
  readonly now: number
}

function row(view: CheckView, { link, clients, now }: RowContext): readonly (Html | string)[] {
  const assumption = view.assumption === undefined ? '' : html`<span class="why">${view.assumption}.</span>`
  const name = html`<code>${view.check}</code><span class="why">Passes when: ${foreign(view.title)}</span>${assumption}`
  if (!view.enabled) return [name, badge('off', 'quiet'), '–', '–', '–']
  const shown = shownStatus(view)
  const why = view.reason ?? (shown === 'unknown' ? (view.partial ?? 'ambiguous') : null)
  const reason = why === null ? '' : html`<span class="why">${why}</span>`
  const problem = view.problem === undefined ? '' : html`<span class="why">${foreign(view.problem)}</span>`
  return [
    name,
    html`${badge(statusWord(shown), statusTone[shown])}${reason}${problem}`,
    failing(view, clients),
    findingCounts(view, link),
    view.since === null ? '–' : instant(view.since, now),
  ]
}

/** Numbers of failing, of all and of unevaluated entities. An unknown check never shows 0, because more may fail. */
function failing(view: CheckView, clients: Names): Html | string {
  const { status, open, waived, entities } = view
  if (status === 'not_applicable') return '–'
  const accepted = total(waived)
  const failed = total(open) + accepted
  const isOpenEnded = status === 'unknown'
  const atLeast = isOpenEnded && failed > 0 ? 'at least ' : ''
  const count = isOpenEnded && failed === 0 ? '?' : number(failed)
  const waivers = accepted > 0 ? html`<span class="why">${number(accepted)} waived</span>` : ''
  return html`${atLeast}<span class="num">${count} of ${entities === null ? '?' : number(entities)}</span>${waivers}${unevaluatedOf(view, clients)}`
}

function unevaluatedOf(
  { notEvaluated, notEvaluatedWhere, unevaluated = [] }: CheckView,
  clients: Names,
): Html | string {
  if (notEvaluated === null || notEvaluated === 0) return ''
  const named = unevaluated.map((id, i) => {
    const name = clients.get(id) ?? null
    return html`${i === 0 ? ': ' : ', '}${name === null ? foreign(id) : html`${foreign(name)} (${foreign(id)})`}`
  })
  const ids = html`${named}${named.length > 0 && notEvaluated > named.length ? ', …' : ''}`
  const where = notEvaluatedWhere === undefined ? '' : ` (${notEvaluatedWhere})`
  return html`<span class="why">${number(notEvaluated)} not evaluated${where}${ids}</span>`
}

function findingCounts({ check, open, waived }: CheckView, link: string): Html | string {
  const counts = severityCounts(open, total(waived))
  if (counts.length === 0) return '–'
  return html`<a class="counts" href="${link}" data-live="jump"><span class="unseen">Findings of ${check}: </span>${counts}</a>`
}
