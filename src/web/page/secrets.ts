import { html } from 'hono/html'
import { dayMs } from '../../model/durations.ts'
import type { SecretView } from '../../model/expiry.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import type { TenantPage } from './load-page.ts'
import { badge, type Tone } from './marks.ts'
import { folded, part, table } from './table.ts'
import { foreign, type Html, instant } from './text.ts'

const nearDays = 90
const maxNear = 50
const maxLater = 50

export function secrets({ posture, secrets: views }: TenantPage, now: number): Html {
  const id = `secrets-${posture.tenant}`
  if (views.length === 0) return part(id, title, html`<p class="empty">${noSecret(posture)}.</p>`)
  const isNear = ({ own, expiresAt }: SecretView) => own || expiresAt - now <= nearDays * dayMs
  const near = views.filter(isNear)
  const later = views.filter((view) => !isNear(view))
  const shown = near.filter(({ own }, i) => own || i < maxNear)
  const more =
    near.length > shown.length
      ? html`<p class="more">and ${plural(near.length - shown.length, 'secret')} more within ${nearDays} days</p>`
      : ''
  return part(
    id,
    title,
    html`${folded(
      id,
      `${plural(near.length, 'secret')} expired or expiring within ${nearDays} days`,
      html`<p class="count-line">${listed}</p>
${rows(id, shown, now)}${more}`,
    )}${laterOnes(id, later, now)}`,
  )
}

/** Why no secret is shown; without a full stop. */
export function noSecret({ resources }: TenantPosture): string {
  const clients = resources.find(({ resource }) => resource === 'api-clients')
  if (clients?.enabled !== true) return 'API clients are switched off'
  return clients.dataAsOf === null
    ? 'No API client was read yet'
    : 'The list that was last read has no API client with a secret'
}

const title = 'API client secrets'

const listed = `Expired, expiring within ${nearDays} days, and always that of tenantwatch itself`

function rows(id: string, views: readonly SecretView[], now: number): Html {
  return table({
    labeledBy: `${id}_title`,
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

interface ExpiryBand {
  readonly word: string
  readonly tone: Tone
}

const bands: readonly (readonly [days: number, band: ExpiryBand])[] = [
  [0, { word: 'expired', tone: 'bad' }],
  [7, { word: 'within 7 days', tone: 'bad' }],
  [30, { word: 'within 30 days', tone: 'warn' }],
]

function expiryBand(remainingMs: number): ExpiryBand {
  const found = bands.find(([days]) => remainingMs <= days * dayMs)
  return found?.[1] ?? { word: 'valid', tone: 'good' }
}
