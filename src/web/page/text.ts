import { html } from 'hono/html'
import { toIso } from '../../model/dates.ts'
import { describeDuration } from '../../model/durations.ts'
import { grouped } from '../../model/text/grouped.ts'
import { printable } from '../../model/text/printable.ts'

export { grouped as number }

/** The result of a template; hono awaits promises inside it. */
export type Html = ReturnType<typeof html>

const longest = 300

export function visible(text: string): string {
  return printable(text, longest)
}

/** A text from the tenant: escaped, and isolated so that it cannot change the writing direction around it. */
export function foreign(text: string): Html {
  return html`<bdi>${visible(text)}</bdi>`
}

/** `1 finding`, `2 findings`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

const greatestMs = 8.64e15

export function instant(ms: number | null, now: number): Html {
  if (ms === null) return html`<span class="none">never</span>`
  return html`${stamp(ms)} <span class="ago">${distance(ms, now)}</span>`
}

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

export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
}
