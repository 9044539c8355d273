import { html } from 'hono/html'
import { describeDuration } from '../../model/durations.ts'
import type { ModeView, ResourceView, TenantPosture } from '../../model/posture.ts'
import { resourceState } from '../data-quality.ts'
import { problems, stateBadge } from './advice.ts'
import { badge } from './badge.ts'
import { gaugeBar } from './bars.ts'
import { part, table } from './table.ts'
import { type Html, number } from './text.ts'
import { distance, instant } from './times.ts'

/** Data quality: first the problems, then all resources. */
export function resources(posture: TenantPosture, now: number): Html {
  const id = `data-${posture.tenant}`
  const body = table({
    kind: 'data',
    labelledBy: `${id}_title`,
    columns: ['Resource', 'State', 'Age against limit', 'Data as of', 'Records', 'Last success'],
    rows: posture.resources.map((view) => row(view, posture, now)),
    empty: 'No resource is configured.',
  })
  return part(id, 'Data quality', html`${problems(posture, now)}${body}`)
}

function row(view: ResourceView, posture: TenantPosture, now: number): readonly (Html | string)[] {
  if (!view.enabled) return [html`${view.resource}`, badge('off', 'quiet'), '–', '–', '–', '–']
  return [
    html`${view.resource}`,
    stateBadge(resourceState(view, posture.holds)),
    age(view, now),
    instant(view.dataAsOf, now),
    records(view),
    html`${view.modes.map((mode) => lastSuccess(mode, now))}`,
  ]
}

function age(view: ResourceView, now: number): Html {
  const limit = describeDuration(view.freshnessLimitMs)
  if (view.dataAsOf === null) return html`<span class="none">limit ${limit}</span>`
  const ms = Math.max(0, now - view.dataAsOf)
  const words = `${describeDuration(ms)} of ${limit}`
  return html`${gaugeBar(ms / view.freshnessLimitMs, view.fresh ? 'good' : 'unknown', words)}<span class="ago">${words}</span>`
}

function records({ live, quarantined, missing }: ResourceView): Html {
  const excluded = [
    ...(quarantined > 0 ? [`${number(quarantined)} quarantined`] : []),
    ...(missing > 0 ? [`${number(missing)} missing`] : []),
  ]
  return html`<span class="num">${number(live)}</span>${excluded.length > 0 ? html` <span class="why">${excluded.join(', ')}</span>` : ''}`
}

function lastSuccess(mode: ModeView, now: number): Html {
  const when = mode.lastSuccessAt === null ? 'never' : distance(mode.lastSuccessAt, now)
  const reason = !mode.up && mode.reason !== null ? html` ${badge(mode.reason, 'warn')}` : ''
  return html`<span class="mode"><span class="ago">${mode.mode}</span> ${when}${reason}</span> `
}
