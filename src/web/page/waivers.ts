import { html } from 'hono/html'
import type { WaiverState, WaiverView } from '../../model/posture.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import type { TenantPage } from './load-page.ts'
import { badge, type Tone } from './marks.ts'
import { folded, part, table } from './table.ts'
import { foreign, type Html, instant } from './text.ts'

const maxWaivers = 100

const tones: Readonly<Record<WaiverState, Tone>> = {
  active: 'good',
  expired: 'bad',
  lapsed: 'warn',
  orphaned: 'quiet',
}

const meanings: Readonly<Record<WaiverState, string | null>> = {
  active: null,
  expired: 'It no longer covers any finding: the findings are open again.',
  lapsed: 'The accepted findings have changed: review them.',
  orphaned: 'No check or entity matches it: remove it from the configuration.',
}

export function waivers({ posture: { tenant, waivers: views } }: TenantPage, now: number): Html {
  const id = `waivers-${tenant}`
  const shown = views.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(0, maxWaivers)
  const more =
    views.length > shown.length ? html`<p class="more">and ${number(views.length - shown.length)} more</p>` : ''
  const body = table({
    labeledBy: `${id}_title`,
    columns: ['Waiver', 'State', 'Covers', 'Ends', 'Owner', 'Reason'],
    rows: shown.map((view) => row(view, now)),
    empty: 'No finding of this tenant is waived by the configuration.',
  })
  return part(
    id,
    'Waivers',
    views.length === 0 ? body : folded(id, plural(views.length, 'waiver'), html`${body}${more}`),
  )
}

function row(view: WaiverView, now: number): readonly (Html | string)[] {
  const { state, covered, lapsed } = view
  const meaning = meanings[state] === null ? '' : html`<span class="why">${meanings[state]}</span>`
  const gone = lapsed === 0 ? '' : html`<span class="why">${number(lapsed)} no longer</span>`
  return [
    html`${foreign(view.id)}<span class="why"><code>${view.check}</code> ${view.entity === '*' ? 'every entity' : foreign(view.entity)}</span>`,
    html`${badge(state, tones[state])}${meaning}`,
    html`<span class="num">${number(covered)}</span>${gone}`,
    instant(view.expiresAt, now),
    foreign(view.owner),
    foreign(view.reason),
  ]
}
