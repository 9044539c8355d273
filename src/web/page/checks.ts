import { html } from 'hono/html'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { severities } from '../../model/severity.ts'
import { badge, severityTone, statusTone, statusWord } from './badge.ts'
import { table } from './table.ts'
import { foreign, type Html, number } from './text.ts'
import { instant } from './times.ts'

const order = ['fail', 'unknown', 'pass', 'not_applicable'] as const

/** Every check with its status, how many of how many fail, and since when; what is wrong comes first. */
export function checks(posture: TenantPosture, now: number): Html {
  const sorted = posture.checks.toSorted(
    (a, b) => Number(b.enabled) - Number(a.enabled) || order.indexOf(a.status) - order.indexOf(b.status),
  )
  return table({
    caption: 'Checks',
    columns: ['Check', 'Status', 'Findings', 'Judged', 'Since'],
    rows: sorted.map((check) => row(check, now)),
    empty: 'No check is configured.',
  })
}

function row(view: CheckView, now: number): readonly (Html | string)[] {
  const name = html`<code>${view.check}</code><span class="why">${foreign(view.title)}</span>`
  if (!view.enabled) return [name, badge('off', 'quiet'), '–', '–', '–']
  const reason = view.reason === null ? '' : html`<span class="why">${view.reason}</span>`
  return [
    name,
    html`${badge(statusWord[view.status], statusTone[view.status])}${reason}`,
    findingCounts(view),
    view.entities === null ? '–' : html`<span class="num">${number(view.entities)}</span>`,
    view.since === null ? '–' : instant(view.since, now),
  ]
}

function findingCounts({ open, waived }: CheckView): Html {
  const counts = severities.toReversed().flatMap((severity) => {
    const count = open[severity] ?? 0
    return count === 0
      ? []
      : [html`<span class="count">${badge(severity, severityTone[severity])} ${number(count)}</span> `]
  })
  const accepted = severities.reduce((sum, severity) => sum + (waived[severity] ?? 0), 0)
  const extra = accepted === 0 ? '' : html`<span class="count quiet">${number(accepted)} waived</span>`
  return counts.length === 0 && accepted === 0 ? html`<span class="none">0</span>` : html`${counts}${extra}`
}
