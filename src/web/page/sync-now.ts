import { html } from 'hono/html'
import type { EndedRun } from '../../model/run-result.ts'
import { plural } from '../../model/text/words.ts'
import { distance } from '../../model/time.ts'
import { foreign, type Html } from './html.ts'
import type { TenantPage } from './load-page.ts'
import { parametersOf } from './page-query.ts'

/** A button that syncs what is due of the tenant, or reads one resource in full; empty where nobody may. */
export function syncButton({ posture, query, sync }: TenantPage, word: string, resource?: string): Html | string {
  if (sync === null) return ''
  const asked = new URLSearchParams({
    tenant: posture.tenant,
    ...(resource !== undefined && { resource, mode: 'full' }),
  })
  return html`<form class="sync" action="./-/sync?${asked}" method="post"><input type="hidden" name="token" value="${sync.token}"><input type="hidden" name="page" value="${parametersOf(query)}"><button type="submit">${word}</button></form>`
}

/** What the last request of the page came to. */
export function lastSync({ posture: { tenant }, sync, now }: TenantPage): Html | string {
  const last = sync?.lastOf(tenant)
  return last === undefined
    ? ''
    : html`<p class="note" role="status">Sync requested ${distance(last.at, now)}: ${wordsOf(last.runs)}</p>`
}

function wordsOf(runs: 'running' | 'failed' | readonly EndedRun[]): Html | string {
  if (runs === 'running') return 'it is running.'
  if (runs === 'failed') return html`<strong class="text-bad">it failed</strong>, see the log.`
  if (runs.length === 0) return 'nothing was read. Another replica has the tenant, or nothing of it is due.'
  return html`${runs.map((run, i) => html`${i === 0 ? '' : '; '}${run.resource} ${run.mode} ${outcome(run)}`)}.`
}

function outcome({ outcome: word, reason, message, hint, counts }: EndedRun): Html | string {
  const { created, updated, removed } = counts
  if (word === 'success')
    return created + updated + removed === 0 ? 'ok, no change' : `ok, ${plural(created + updated + removed, 'change')}`
  const why = [word === 'skipped' ? null : reason, message, hint].filter((one) => one !== null).join('; ')
  return html`${word === 'skipped' ? word : html`<strong class="text-bad">${word}</strong>`}: ${foreign(why)}`
}
