import { html } from 'hono/html'
import { dayMs } from '../../model/durations.ts'
import { badge, type Tone } from './badge.ts'
import type { TenantPage } from './load-page.ts'
import { table } from './table.ts'
import { foreign, type Html, number } from './text.ts'
import { instant } from './times.ts'

/** The secrets of the tenant's API clients, the one that expires first on top. */
export function secrets({ secrets: views, secretsTotal }: TenantPage, now: number): Html {
  const more = secretsTotal > views.length ? `, the first ${views.length} of ${number(secretsTotal)}` : ''
  return table({
    caption: `API client secrets by expiry${more}`,
    columns: ['Client', 'Expires', 'State', 'Role'],
    rows: views.map((view) => [
      html`${view.name === null ? '' : foreign(view.name)}<code class="id">${view.clientId}</code>`,
      instant(view.expiresAt, now),
      expiry(view.expiresAt - now),
      view.role === null ? '–' : foreign(view.role),
    ]),
    empty: 'No API client was read yet.',
  })
}

const bands: readonly (readonly [days: number, word: string, tone: Tone])[] = [
  [0, 'expired', 'bad'],
  [7, 'within 7 days', 'bad'],
  [30, 'within 30 days', 'warn'],
]

function expiry(remainingMs: number): Html {
  const band = bands.find(([days]) => remainingMs <= days * dayMs)
  return band === undefined ? badge('valid', 'good') : badge(band[1], band[2])
}
