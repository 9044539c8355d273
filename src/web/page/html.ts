import { html } from 'hono/html'
import type { Description } from '../../model/describe.ts'
import type { ResourceState, ShownStatus } from '../../model/posture-state.ts'
import { highestFirst, type Severity, type SeverityCounts } from '../../model/severity.ts'
import { printable } from '../../model/text/printable.ts'
import { grouped as number } from '../../model/text/words.ts'
import { distance, toIso } from '../../model/time.ts'

/** The result of a template; hono awaits promises inside it. */
export type Html = ReturnType<typeof html>

const longest = 300

/** A text from the tenant: escaped, and isolated so that it cannot change the writing direction around it. */
export function foreign(text: string): Html {
  return html`<bdi>${printable(text, longest)}</bdi>`
}

/** A command to type. An option, or an id with a hyphen, only breaks if it is longer than a line. */
export function command(words: string): Html {
  const parts = `tenantwatch ${words}`.split(/(\S*-\S*)/)
  return html`<code class="command">${parts.map((part) => (part.includes('-') ? html`<span>${part}</span>` : part))}</code>`
}

/** What to do, with the commands that it quotes ready to copy. */
export function advice(text: string): Html {
  const parts = text.split(/"tenantwatch ([^"]+)"/)
  return html`${parts.map((part, i) => (i % 2 === 0 ? printable(part) : command(part)))}`
}

export function instant(ms: number | null, now: number): Html {
  if (ms === null) return html`<span class="none">never</span>`
  return html`${stamp(ms)} <span class="ago">${distance(ms, now)}</span>`
}

export function stamp(ms: number): Html {
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

/** Color never carries information alone. */
export type Tone = 'worst' | 'bad' | 'warn' | 'unknown' | 'good' | 'quiet' | 'own'

export function badge(word: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${word}</span>`
}

type Tones<Word extends string> = Readonly<Record<Word, Tone>>

export const levelTone = { fail: 'bad', warn: 'unknown', ok: 'good' } as const satisfies Tones<Description['level']>

export const statusTone: Tones<ShownStatus> = {
  fail: 'bad',
  unknown: 'unknown',
  waived: 'warn',
  pass: 'good',
  not_applicable: 'quiet',
}

export const severityTone: Tones<Severity> = {
  critical: 'worst',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
  info: 'quiet',
}

export const stateTone: Tones<ResourceState> = {
  on_hold: 'bad',
  unauthorized: 'bad',
  missing_permission: 'bad',
  never: 'unknown',
  stale: 'unknown',
  quarantined: 'warn',
  missing: 'warn',
  failing: 'warn',
  fresh: 'good',
  off: 'quiet',
}

/** Counts by severity, the highest first; empty if there are none. */
export function severityCounts(open: Readonly<SeverityCounts>, waived: number): readonly Html[] {
  const some = highestFirst.filter((severity) => (open[severity] ?? 0) > 0)
  const counts = some.map((severity) => {
    return html`<span class="count">${badge(severity, severityTone[severity])} ${number(open[severity] ?? 0)}</span> `
  })
  return waived === 0 ? counts : [...counts, html`<span class="count quiet">${number(waived)} waived</span>`]
}

export interface Table {
  readonly labeledBy: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (Html | string)[])[]
  /** Index of the column with the row headers; 0 by default. */
  readonly head?: number
  readonly ids?: readonly string[]
  readonly empty: string
  readonly kind?: 'data'
}

/** Cards on narrow screens. Roles are explicit: screen readers do not treat a table with `display: block` as one. */
export function table({ labeledBy, columns, rows, head = 0, ids, empty, kind }: Table): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const cellOf = (cell: Html | string, i: number) =>
    i === head
      ? html`<th role="rowheader" scope="row" data-label="${columns[i] ?? ''}"><div>${cell}</div></th>`
      : html`<td role="cell" data-label="${columns[i] ?? ''}"><div>${cell}</div></td>`
  return html`<table role="table" class="${kind ?? 'plain'}" aria-labelledby="${labeledBy}">
<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells, i) => html`<tr role="row"${ids?.[i] === undefined ? '' : html` id="${ids[i]}"`}>${cells.map(cellOf)}</tr>\n`)}</tbody>
</table>`
}

export function part(id: string, title: string, body: Html): Html {
  return html`<section class="part" id="${id}" aria-labelledby="${id}_title"><h3 id="${id}_title">${title}</h3>
${body}</section>
`
}
