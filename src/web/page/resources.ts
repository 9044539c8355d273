import { html } from 'hono/html'
import { describeDuration } from '../../model/durations.ts'
import type { ModeView, ResourceView, TenantPosture } from '../../model/posture.ts'
import { resourceState } from '../trust.ts'
import { badge, stateTone } from './badge.ts'
import { gaugeBar } from './bars.ts'
import { table } from './table.ts'
import { foreign, type Html, number } from './text.ts'
import { distance, instant } from './times.ts'

/** How far each resource can be believed, since when, and why not. */
export function resources(posture: TenantPosture, now: number): Html {
  return table({
    caption: 'Can the data be trusted?',
    columns: ['Resource', 'State', 'Data as of', 'Age against limit', 'Records', 'Last success'],
    rows: posture.resources.map((view) => row(view, posture, now)),
    empty: 'No resource is configured.',
  })
}

function row(view: ResourceView, posture: TenantPosture, now: number): readonly (Html | string)[] {
  if (!view.enabled) return [html`${view.resource}`, badge('off', 'quiet'), '–', '–', '–', '–']
  const state = resourceState(view, posture.holds)
  const message =
    view.message === null || state === 'fresh' ? '' : html`<span class="why">${foreign(view.message)}</span>`
  return [
    html`${view.resource}`,
    html`${badge(state === 'never' ? 'never complete' : state, stateTone[state])}${message}`,
    instant(view.dataAsOf, now),
    age(view, now),
    records(view),
    html`${view.modes.map((mode) => lastSuccess(mode, now))}`,
  ]
}

function age(view: ResourceView, now: number): Html {
  const limit = describeDuration(view.freshnessLimitMs)
  if (view.dataAsOf === null) return html`<span class="none">limit ${limit}</span>`
  const ms = Math.max(0, now - view.dataAsOf)
  const words = `${describeDuration(ms)} of ${limit}`
  return html`${gaugeBar(ms / view.freshnessLimitMs, view.fresh ? 'good' : 'blind', words)}<span class="ago">${words}</span>`
}

function records({ live, quarantined, missing }: ResourceView): Html {
  const apart = [
    ...(quarantined > 0 ? [`${number(quarantined)} quarantined`] : []),
    ...(missing > 0 ? [`${number(missing)} missing`] : []),
  ]
  return html`<span class="num">${number(live)}</span>${apart.length > 0 ? html` <span class="why">${apart.join(', ')}</span>` : ''}`
}

function lastSuccess(mode: ModeView, now: number): Html {
  const when = mode.lastSuccessAt === null ? 'never' : distance(mode.lastSuccessAt, now)
  const reason = !mode.up && mode.reason !== null ? html` ${badge(mode.reason, 'warn')}` : ''
  return html`<span class="mode"><span class="ago">${mode.mode}</span> ${when}${reason}</span> `
}
