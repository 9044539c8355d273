import { html } from 'hono/html'
import { parseIsoDate } from '../../model/dates.ts'
import type { FindingView } from '../../model/finding.ts'
import { foreign, type Html, number } from './text.ts'
import { instant } from './times.ts'

/** The page shows the first facts; `explain` shows all. */
const maxFacts = 24

const labels: Readonly<Record<string, string>> = {
  requestId: 'Request id',
  readAt: 'Read at',
  rule: 'Rule (digest)',
  thresholdDays: 'Threshold, days',
  thresholdHours: 'Threshold, hours',
}

/** The evidence of a finding, collapsed: field values, time and request of the reading, rule. */
export function evidence(finding: FindingView, now: number): Html {
  const { fingerprint, waiver, reopened } = finding
  const facts = Object.entries(finding.evidence)
  const rest = facts.length > maxFacts ? html`<dt>More</dt><dd>${number(facts.length - maxFacts)} more facts</dd>` : ''
  const again = reopened === 0 ? '' : html`<dt>Reopened</dt><dd>${number(reopened)} times</dd>`
  const accepted =
    waiver === null
      ? ''
      : html`<dt>Waiver</dt><dd>${foreign(waiver.id)} (${waiver.state}, to ${waiver.expires}, ${foreign(waiver.owner)}): ${foreign(waiver.reason)} ${foreign(waiver.explanation ?? '')}</dd>`
  return html`<details id="evidence-${fingerprint}"><summary>Evidence</summary>
<dl>${facts.slice(0, maxFacts).map(([name, value]) => html`<dt>${label(name)}</dt><dd>${foreign(words(value))}</dd>`)}${rest}<dt>First seen</dt><dd>${time(finding.firstSeen, now)}</dd><dt>Last seen</dt><dd>${time(finding.lastSeen, now)}</dd>${again}${accepted}<dt>In full</dt><dd><code class="command">tenantwatch explain ${fingerprint}</code></dd></dl>
</details>`
}

function label(name: string): Html {
  return html`${Object.hasOwn(labels, name) ? (labels[name] ?? '') : foreign(name)}`
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
}

function time(iso: string, now: number): Html {
  return instant(parseIsoDate(iso)?.ms ?? null, now)
}
