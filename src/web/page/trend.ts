import { html } from 'hono/html'
import { expiriesOf } from '../../model/expiry.ts'
import { isFreshAndComplete } from '../../model/posture-state.ts'
import type { Trend } from '../../model/trend.ts'
import { endings } from '../plots/ending.ts'
import { openFindings } from '../plots/open-findings.ts'
import { weeksOfFindings } from '../plots/weeks.ts'
import type { TenantPage } from './load-page.ts'
import { hrefOf, trendDays } from './page-query.ts'
import type { Html } from './text.ts'

/** A secret may have changed since it was read. */
export function secretsNote({ posture: { resources, holds } }: Pick<TenantPage, 'posture'>): string {
  const clients = resources.find(({ resource }) => resource === 'api-clients')
  if (clients === undefined || clients.dataAsOf === null)
    return 'secrets not known: API clients were never read in full'
  return isFreshAndComplete(clients, holds) ? '' : 'secrets as last read'
}

export function plots(page: TenantPage): Html | string {
  const { trend, posture, now } = page
  if (trend === null) return ''
  const name = posture.tenant
  const note = secretsNote(page)
  const days = page.query.days ?? defaultDays(trend)
  return html`<div class="plots">${openFindings(trend, name, Number(days), spans(page, days))}${weeksOfFindings(trend, name)}${endings(expiriesOf(posture, page.secrets), name, now, note)}</div>`
}

/** Of a short history the shortest span. */
function defaultDays({ samples }: Trend): (typeof trendDays)[number] {
  return samples.at(-Number(trendDays[0]))?.open == null ? '7' : '30'
}

function spans({ query, posture }: TenantPage, shown: string): Html {
  const links = trendDays.map((days) => {
    const current = days === shown ? 'true' : 'false'
    return html`<a id="days-${days}-${posture.tenant}" href="${hrefOf(query, { days }, `#open-${posture.tenant}`)}" aria-current="${current}">${days} days</a>`
  })
  return html`<nav aria-label="Span of the plot">${links}</nav>`
}
