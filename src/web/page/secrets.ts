import { html } from 'hono/html'
import type { SecretView } from '../../model/client-secret.ts'
import { dayMs, distance } from '../../model/durations.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import type { TenantPage } from './load-page.ts'
import { badge, type Tone } from './marks.ts'
import { part, table } from './table.ts'
import { foreign, type Html, instant, visible } from './text.ts'

const nearDays = 90
const maxNear = 50
const maxLater = 50
/** Most secrets on the time line; those that expire first are kept. */
const maxDots = 300

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
  const first = views.filter(({ own }, i) => own || i < maxDots)
  return part(
    id,
    title,
    html`<p class="count-line">${listed}</p>
<div class="card">${timeLine(first, now)}</div>
${rows(id, shown, now)}${more}${laterOnes(id, later, now)}`,
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

const height = 96
const axis = 70
/** In percent of the width: the end of the zone for expired secrets, and the end of the line. */
const [start, end] = [16, 96]
/** Dots closer than this, in percent of the width, are stacked. */
const minDistance = 2.2
const step = 15
const maxStacked = 4

interface Dot {
  readonly x: number
  readonly y: number
  readonly view: SecretView
}

/** Positions are percentages, so that the drawing fits any width; the table below it has the same data as text. */
function timeLine(views: readonly SecretView[], now: number): Html {
  const near = views.filter(({ expiresAt }) => expiresAt - now <= nearDays * dayMs)
  const { dots, hidden } = placed(near, now)
  const over =
    hidden === 0 ? '' : html`<text class="tick" x="50%" y="12">and ${number(hidden)} more on the same days</text>`
  return html`<svg class="time-line" width="100%" height="${height}" role="img" aria-label="${described(views, now)}">
<rect class="fill-bad faint" x="0" y="0" width="${start - 2}%" height="${height}" rx="8"/><text class="tick" x="${(start - 2) / 2}%" y="16">expired</text>
<rect class="track" x="${start}%" y="${axis - 2}" width="${end - start}%" height="4" rx="2"/>
${[0, 30, 60, 90].map((days) => tick(days))}${dots.map((dot) => mark(dot, now))}${over}</svg>
`
}

function tick(days: number): Html {
  const x = xOf(days)
  return html`<rect class="notch" x="${x}%" y="${axis - 6}" width="1" height="12"/><text class="tick" x="${x}%" y="${height - 8}">${days === 0 ? 'now' : `${days} d`}</text>`
}

function mark({ x, y, view }: Dot, now: number): Html {
  const { tone } = expiryBand(view.expiresAt - now)
  const ring = view.own ? html`<circle class="ring" cx="${x.toFixed(2)}%" cy="${y}" r="8.5"/>` : ''
  const name = visible(view.name ?? view.clientId)
  const own = view.own ? ' (tenantwatch itself)' : ''
  return html`<g>${ring}<circle class="fill-${tone}" cx="${x.toFixed(2)}%" cy="${y}" r="5.5"><title>${name}${own}: ${distance(view.expiresAt, now)}</title></circle></g>`
}

function xOf(days: number): number {
  return start + ((end - start) * days) / nearDays
}

/** Places each dot as low as possible; the own secret is always shown. */
function placed(views: readonly SecretView[], now: number): { readonly dots: readonly Dot[]; readonly hidden: number } {
  const dots: Dot[] = []
  let hidden = 0
  for (const view of views.toSorted((a, b) => Number(b.own) - Number(a.own) || a.expiresAt - b.expiresAt)) {
    const days = (view.expiresAt - now) / dayMs
    const x = days <= 0 ? (start - 2) / 2 : Math.max(xOf(days), start + 0.8)
    const taken = new Set(dots.filter((dot) => Math.abs(dot.x - x) < minDistance).map(({ y }) => y))
    const y = Array.from({ length: maxStacked }, (_, i) => axis - step * i).find((one) => !taken.has(one))
    if (y === undefined) hidden += 1
    else dots.push({ x, y, view })
  }
  return { dots, hidden }
}

function described(views: readonly SecretView[], now: number): string {
  const counts = new Map<string, number>()
  for (const { expiresAt } of views) {
    const { word } = expiryBand(expiresAt - now)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const words = [...counts].map(([word, count]) => `${number(count)} ${word}`)
  return `API client secrets over the next ${nearDays} days: ${words.join(', ') || 'none'}. The table below lists them.`
}
