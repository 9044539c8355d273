import { html } from 'hono/html'
import type { HoldView } from '../../model/posture.ts'
import { foreign, type Html, number } from './text.ts'
import { instant } from './times.ts'

/** What the engine will not do before an operator decides, with the command that decides it. */
export function holds(views: readonly HoldView[], now: number): Html {
  return html`${views.map((hold) => card(hold, now))}`
}

function card(hold: HoldView, now: number): Html {
  const subject = hold.resource === 'all' ? 'the whole tenant' : hold.resource
  return html`<div class="hold" role="group" aria-label="Held: ${subject}">
<p><strong>Held: ${subject}</strong> <code>${hold.reason}</code> <span class="ago">since ${instant(hold.raisedAt, now)}</span></p>
<p>${foreign(hold.message)}</p>
<p>If this is right, accept all ${number(hold.count)}: <code class="command">tenantwatch accept ${hold.id} --count ${hold.count} --reason "&hellip;"</code> It also ends by itself when its cause is gone.</p>
</div>
`
}
