import { html } from 'hono/html'
import { plural } from '../../model/text/numbers.ts'
import type { EndedSync } from '../web-options.ts'
import { pageEnd, pageStart } from './page.ts'
import { foreign, type Html } from './text.ts'

/** The answer to the button of the page: a page that ends with what the sync came to. */
export async function* syncPage(tenant: string | undefined, outcome: AsyncIterable<string>): AsyncGenerator<string> {
  const name = tenant ?? 'all tenants'
  yield String(html`${pageStart(`sync of ${name}`, '../')}<p>The sync of ${name} is running.</p>`)
  yield* outcome
  yield String(pageEnd(tenant === undefined ? '../' : `../?tenant=${tenant}`))
}

/** What a sync on request came to. */
export function outcomeOf(runs: readonly EndedSync[]): Html {
  if (runs.length === 0) return html`<p>Nothing was read. Another replica has the tenant, or nothing of it is due.</p>`
  return html`<ul>${runs.map((run) => html`<li>${run.resource} ${run.mode}: ${inWords(run)}</li>`)}</ul>`
}

function inWords({ outcome, reason, message, hint, counts }: EndedSync): Html | string {
  const changes = counts.created + counts.updated + counts.removed
  if (outcome === 'success') return changes === 0 ? 'ok, no change' : `ok, ${plural(changes, 'change')}`
  const why = [reason, message, hint].filter((one) => one !== null).join('; ')
  return html`${outcome === 'skipped' ? outcome : html`<strong class="text-bad">${outcome}</strong>`}: ${foreign(why)}`
}
