import { html } from 'hono/html'
import { parseIsoDate } from '../../model/dates.ts'
import { badge, severityTone } from './badge.ts'
import type { TenantPage } from './load-page.ts'
import { table } from './table.ts'
import { foreign, type Html, number } from './text.ts'
import { instant } from './times.ts'

/** Open findings, the gravest first; all of them are a link away. */
export function findings({ posture, findings: views }: TenantPage, total: number, now: number): Html {
  const more = total > views.length ? `, the gravest ${number(views.length)} of ${number(total)}` : ''
  const body = table({
    caption: `Open findings${more}`,
    columns: ['Finding', 'Severity', 'Check', 'Entity', 'First seen'],
    rows: views.map((view) => [
      html`${foreign(view.message)}<code class="id">${view.fingerprint}</code>`,
      badge(view.severity, severityTone[view.severity]),
      html`<code>${view.check}</code>`,
      html`${view.entity.type} ${foreign(view.entity.id)}`,
      instant(parseIsoDate(view.firstSeen)?.ms ?? null, now),
    ]),
    empty: 'No finding is open. Whether that means much is told by the checks above.',
  })
  const link = `/api/v1/findings?tenant=${encodeURIComponent(posture.tenant)}`
  return html`${body}<p class="more"><a href="${link}">All open findings as JSON</a> · the facts behind one: <code>tenantwatch explain FINGERPRINT</code></p>`
}
