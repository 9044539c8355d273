import { html } from 'hono/html'
import type { SecretView } from '../../model/client-secret.ts'
import { dayMs } from '../../model/durations.ts'
import { badge } from './badge.ts'
import { expiryBand, nearDays } from './expiry-band.ts'
import type { TenantPage } from './load-page.ts'
import { part, table } from './table.ts'
import { foreign, type Html, number, plural } from './text.ts'
import { timeLine } from './time-line.ts'
import { instant } from './times.ts'

const maxNear = 50
const maxLater = 50
/** Secrets on the time line; with more, those that expire first. */
const maxDots = 300

/** The secrets of the tenant's API clients: the next 90 days as time line and table, later ones collapsed. */
export function secrets({ posture: { tenant }, secrets: views }: TenantPage, now: number): Html {
  const id = `secrets-${tenant}`
  if (views.length === 0) return part(id, title, html`<p class="empty">No API client was read yet.</p>`)
  const isNear = ({ own, expiresAt }: SecretView) => own || expiresAt - now <= nearDays * dayMs
  const near = views.filter(isNear)
  const later = views.filter((view) => !isNear(view))
  const shown = near.filter(({ own }, i) => own || i < maxNear)
  const more =
    near.length > shown.length
      ? html`<p class="more">and ${plural(near.length - shown.length, 'secret')} more within ${nearDays} days</p>`
      : ''
  const first = views.filter(({ own }, i) => own || i < maxDots)
  return part(
    id,
    title,
    html`<div class="card">${timeLine(first, now)}</div>
${rows(id, shown, now)}${more}${laterOnes(id, later, now)}`,
  )
}

const title = 'API client secrets, the next 90 days'

function rows(id: string, views: readonly SecretView[], now: number): Html {
  return table({
    labelledBy: `${id}_title`,
    columns: ['Client', 'Expires', 'State', 'Role'],
    rows: views.map((view) => row(view, now)),
    empty: `No secret expires within ${nearDays} days.`,
  })
}

function laterOnes(id: string, views: readonly SecretView[], now: number): Html | string {
  if (views.length === 0) return ''
  const more = views.length > maxLater ? html`<p class="more">and ${number(views.length - maxLater)} more</p>` : ''
  return html`<details class="later" id="${id}_later"><summary>${plural(views.length, 'secret expires', 'secrets expire')} later</summary>
${rows(id, views.slice(0, maxLater), now)}${more}</details>`
}

function row(view: SecretView, now: number): readonly (Html | string)[] {
  const { word, tone } = expiryBand(view.expiresAt - now)
  const name = view.name === null ? '' : html`${foreign(view.name)} `
  return [
    html`${name}${view.own ? badge('tenantwatch itself', 'own') : ''}<code class="id">${foreign(view.clientId)}</code>`,
    instant(view.expiresAt, now),
    badge(word, tone),
    view.role === null ? '–' : foreign(view.role),
  ]
}
