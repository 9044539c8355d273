import { html } from 'hono/html'
import { distance } from '../../model/durations.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import type { EndedSync } from '../web-options.ts'
import type { TenantPage } from './load-page.ts'
import { badge } from './marks.ts'
import { parametersOf } from './page-query.ts'
import { foreign, type Html } from './text.ts'

type Asking = Pick<TenantPage, 'posture' | 'query' | 'token'>

/** A button that syncs what is due of the tenant, or of one resource; empty where nobody may. */
export function syncButton(
  { posture: { tenant }, query, token }: Asking,
  word: string,
  of: { readonly resource?: string } = {},
): Html | string {
  if (token === null) return ''
  const asked = new URLSearchParams({ tenant, ...of })
  const page = new URLSearchParams(parametersOf(query).map((one) => [...one]))
  return html`<form class="sync" action="./-/sync?${asked}" method="post"><input type="hidden" name="token" value="${token}"><input type="hidden" name="page" value="${page}"><button type="submit">${word}</button></form>`
}

/** What the last request of the page came to. */
export function lastSync({ posture, lastSync: last, now }: TenantPage): Html | string {
  if (last === null) return ''
  const { at, runs, hasFailed = false } = last
  const when = html`<span class="ago">${distance(at, now)}</span>`
  if (runs === null) return html`<p class="note" role="status">The sync that was requested ${when} is running.</p>`
  if (hasFailed)
    return html`<p class="note" role="status">${badge('failure', 'bad')} The sync that was requested ${when} failed: see the log.</p>`
  const owner = posture.owner === undefined ? '' : ', and only by the replica that owns the tenant'
  const words =
    runs.length === 0
      ? html`nothing: a resource is read on request at most once a minute${owner}`
      : html`${runs.map(outcome)}`
  return html`<p class="note" role="status">Synced on request ${when}: ${words}</p>`
}

function outcome({ resource, mode, outcome: word, reason, message, hint, counts }: EndedSync): Html {
  const { created, updated, removed, quarantined } = counts
  const changes = Object.entries({ created, updated, removed, quarantined }).filter(([, count]) => count > 0)
  const words = changes.map(([name, count]) => `${number(count)} ${name}`).join(', ') || 'no change'
  const why = [reason, message, hint].filter((one) => one !== null).join('; ')
  const isFine = word === 'success'
  return html`<span class="count">${resource} ${mode} ${badge(word, isFine ? 'good' : 'bad')}</span>${isFine ? words : foreign(why)} `
}
