import { html } from 'hono/html'
import { remedyOf } from '../../model/hold-remedy.ts'
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
<p>${ending(hold)}</p>
</div>
`
}

function ending(hold: HoldView): Html {
  const remedy = remedyOf(hold)
  if (remedy !== null) return html`It cannot be accepted. ${remedy}; then it ends by itself.`
  return html`If this is right, accept all ${number(hold.count)}: <code class="command">tenantwatch accept ${hold.id} --count ${hold.count} --reason "&hellip;"</code> It also ends by itself when its cause is gone.`
}
