import { html } from 'hono/html'
import { toIso } from '../../model/dates.ts'
import { distance } from '../../model/durations.ts'
import { commandWith } from '../../model/text/command-line.ts'
import { printable } from '../../model/text/printable.ts'

/** The result of a template; hono awaits promises inside it. */
export type Html = ReturnType<typeof html>

const longest = 300

/** A text from the tenant: escaped, and isolated so that it cannot change the writing direction around it. */
export function foreign(text: string): Html {
  return html`<bdi>${printable(text, longest)}</bdi>`
}

/** A command to type. An option, or an id with a hyphen, only breaks if it is longer than a line. */
export function command(words: string, configFile: string | undefined): Html {
  const parts = commandWith(words, configFile).split(/(\S*-\S*)/)
  return html`<code class="command">${parts.map((part) => (part.includes('-') ? html`<span>${part}</span>` : part))}</code>`
}

/** What to do, with the commands that it quotes ready to copy. */
export function advice(text: string, configFile: string | undefined): Html {
  const parts = text.split(/"tenantwatch ([^"]+)"/)
  return html`${parts.map((part, i) => (i % 2 === 0 ? printable(part) : command(part, configFile)))}`
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

export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
}

/** A fact as text; lists and objects as `(id: soc2, maxAgeDays: 365), (id: iso, maxAgeDays: null)`, empty values as JSON. */
export function factText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : nestedText(value)
}

function nestedText(value: unknown): string {
  // Quotes a text that could be read as several.
  if (typeof value === 'string') return /^$|[,()"]/.test(value) ? JSON.stringify(value) : value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = (one: unknown) =>
    typeof one === 'object' && one !== null && Object.keys(one).length > 0 ? `(${nestedText(one)})` : nestedText(one)
  const parts = Array.isArray(value)
    ? value.map(inner)
    : Object.entries(value).map(([name, one]) => `${nestedText(factName(name))}: ${inner(one)}`)
  return parts.length === 0 ? JSON.stringify(value) : parts.join(', ')
}

const labels: Readonly<Record<string, string>> = {
  requestId: 'Request id',
  readAt: 'Read at',
  rule: 'Rule (digest of its options)',
  thresholdDays: 'Threshold, days',
  thresholdHours: 'Threshold, hours',
}

/** Name of a fact of the evidence; the API's name if there is no better one. */
export function factName(name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? name) : name
}
