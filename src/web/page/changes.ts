import { html } from 'hono/html'
import type { ChangeView } from '../../model/change.ts'
import type { TenantPage } from './load-page.ts'
import { part, table } from './table.ts'
import { foreign, type Html } from './text.ts'
import { instant } from './times.ts'

/** What changed last in the mirror, newest first. */
export function changes({ posture: { tenant }, changes: views }: TenantPage, now: number): Html {
  const id = `changes-${tenant}`
  const body = table({
    labelledBy: `${id}_title`,
    columns: ['When', 'What', 'Change', 'Request id'],
    head: 1,
    rows: views.map((view) => [
      instant(view.at, now),
      html`<span class="type">${view.resource}</span> ${foreign(view.entity)}`,
      whatChanged(view),
      view.requestId === null ? '–' : html`<code class="id">${foreign(view.requestId)}</code>`,
    ]),
    empty: 'No change was recorded lately. What the first complete full sync found is no change.',
  })
  return part(
    id,
    'Last changes',
    html`${body}<p class="more">All of them: <code class="command">tenantwatch history --tenant ${tenant}</code></p>`,
  )
}

function whatChanged({ kind, field, before, after }: ChangeView): Html {
  if (field === null) return html`<span class="kind">${kind}</span>`
  return html`<code>${foreign(field)}</code> <span class="values"><del>${foreign(words(before))}</del> <span aria-hidden="true">&rarr;</span> <ins>${foreign(words(after))}</ins></span>`
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
}
