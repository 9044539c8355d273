import { html } from 'hono/html'
import { distance } from '../../model/durations.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import { entity } from './findings.ts'
import type { TenantPage } from './load-page.ts'
import { badge, severityTone } from './marks.ts'
import { hrefOf, type PageQuery, wholePage } from './page-query.ts'
import { foreign, type Html } from './text.ts'

const mostNew = 3
const mostExpiries = 3

/** What to do today: critical and high findings, what is new since yesterday, and what expires next. */
export function firstScreen(page: TenantPage, query: PageQuery, now: number): Html {
  return html`<div class="now">${urgent(page, query)}${recent(page)}${expiries(page, now)}</div>
`
}

function urgent({ posture, findings: { urgent: shown } }: TenantPage, query: PageQuery): Html {
  const { tenant, checks } = posture
  const total = checks.reduce((sum, { open }) => sum + (open.critical ?? 0) + (open.high ?? 0), 0)
  const href = hrefOf(wholePage, { tenant: query.tenant, severities: ['high', 'critical'] }, `#findings-${tenant}`)
  const more = total > shown.length ? html`<a href="${href}" data-live="jump">all ${number(total)}</a>` : ''
  return html`<section aria-labelledby="now-${tenant}"><h3 id="now-${tenant}">Fix these now</h3>${
    shown.length === 0
      ? html`<p class="more">No critical or high finding is open.</p>`
      : html`<ul>${shown.map(
          (view) =>
            html`<li>${badge(view.severity, severityTone[view.severity])} ${entity(view)} <span class="said">${foreign(view.message)}</span></li>`,
        )}</ul>${more}`
  }</section>`
}

function recent({ posture: { tenant }, findings: { recent: all } }: TenantPage): Html {
  const shown = all.slice(0, mostNew)
  const more = all.length > shown.length ? html`<li>and ${number(all.length - shown.length)} more</li>` : ''
  return html`<section aria-labelledby="new-${tenant}"><h3 id="new-${tenant}">New since yesterday</h3>${
    all.length === 0
      ? html`<p class="more">Nothing</p>`
      : html`<ul>${shown.map((view) => html`<li>${entity(view)} <code>${view.check}</code></li>`)}${more}</ul>`
  }</section>`
}

interface Expiry {
  readonly at: number
  readonly what: Html
}

function expiries({ posture: { tenant, waivers }, secrets }: TenantPage, now: number): Html {
  const all: readonly Expiry[] = [
    ...secrets.map(({ expiresAt, name, clientId }) => ({
      at: expiresAt,
      what: html`secret of <strong>${foreign(name ?? clientId)}</strong>`,
    })),
    ...waivers.map(({ expiresAt, id }) => ({ at: expiresAt, what: html`waiver <strong>${foreign(id)}</strong>` })),
  ]
  const next = all
    .filter(({ at }) => at > now)
    .toSorted((a, b) => a.at - b.at)
    .slice(0, mostExpiries)
  const past = secrets.filter(({ expiresAt }) => expiresAt <= now).length
  return html`<section aria-labelledby="next-${tenant}"><h3 id="next-${tenant}">Expires next</h3><ul>${
    past === 0 ? '' : html`<li class="text-bad">${plural(past, 'secret has', 'secrets have')} expired</li>`
  }${next.map(({ at, what }) => html`<li>${what} <span class="ago">${distance(at, now)}</span></li>`)}${
    past + next.length === 0 ? html`<li>Nothing</li>` : ''
  }</ul></section>`
}
