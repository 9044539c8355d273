import { html } from 'hono/html'
import { toIso } from '../../model/dates.ts'
import { describeDuration } from '../../model/durations.ts'
import type { Html } from './text.ts'

const greatestMs = 8.64e15

/** A time in UTC with its distance from now; `never` for null. */
export function instant(ms: number | null, now: number): Html {
  if (ms === null) return html`<span class="none">never</span>`
  return html`${stamp(ms)} <span class="ago">${distance(ms, now)}</span>`
}

/** A time in UTC. */
export function stamp(ms: number): Html {
  if (Math.abs(ms) > greatestMs) return html`<span class="none">no date</span>`
  const iso = toIso(ms)
  return html`<time datetime="${iso}">${iso.replace(/T(\d\d:\d\d).*$/, ' $1')} UTC</time>`
}

/** `5 min ago`, `in 3 days`, `now`. */
export function distance(ms: number, now: number): string {
  if (Math.abs(ms - now) < 1000) return 'now'
  return ms < now ? `${describeDuration(now - ms)} ago` : `in ${describeDuration(ms - now)}`
}
