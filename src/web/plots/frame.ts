import { html } from 'hono/html'
import { dayOf } from '../../model/time.ts'
import type { Span } from '../../model/trend.ts'
import { type Html, type Table, table } from '../page/html.ts'

/** Lengths across are percentages, so that a plot fills its place without a script and its texts keep their size. */
export function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`
}

export function shareOf(time: number, { from, to }: Span): number {
  return Math.min(1, Math.max(0, (time - from) / (to - from)))
}

/** Three or four round steps from 0 to the first at or above `most`; at least 1. */
export function ticksTo(most: number): readonly number[] {
  const rough = Math.max(1, most / 3)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? 10 * power
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, i) => i * step)
}

/** `950`, `1.2K`: fits beside an axis, and those of thirteen weeks side by side on a phone. */
export const compact = new Intl.NumberFormat('en', { notation: 'compact' })

export interface Plot {
  /** Unique on the page. */
  readonly id: string
  readonly title: string
  /** Beside the title. */
  readonly head: Html | string
  /** What the plot shows, in words. */
  readonly description: string
  /** In CSS pixels. */
  readonly height: number
  readonly body: Html
  readonly legend: readonly Html[]
  readonly table: Omit<Table, 'labeledBy'>
}

/** A plot with its legend, and the same as a table that opens. */
export function plot({ id, title, head, description, height, body, legend, table: content }: Plot): Html {
  return html`<section class="plot" id="${id}" aria-labelledby="${id}_title"><div class="plot-head"><h3 id="${id}_title">${title}</h3>${head}</div>
<svg class="chart" role="img" width="100%" height="${height}" aria-labelledby="${id}_name" aria-describedby="${id}_text"><title id="${id}_name">${title}</title><desc id="${id}_text">${description}</desc>${body}</svg>
<ul class="legend">${legend.map((one) => html`<li>${one}</li>`)}</ul><details id="${id}_more"><summary>As a table</summary>${table({ labeledBy: `${id}_title`, ...content })}</details></section>
`
}

/** A part of the time that the axis has. */
export function band({ from, to }: Span, span: Span, attributes: Html): Html {
  const [left, right] = [shareOf(from, span), shareOf(to, span)]
  return html`<rect x="${percent(left)}" width="${percent(right - left)}" ${attributes}/>`
}

export function key(kind: string, words: string): Html {
  return html`<span class="key ${kind}"></span>${words}`
}

/** Texts below the horizontal axis at the beginning, in the middle and at the end; `from` is before the first instant. */
export function axis({ from, to }: Span, y: number): Html {
  const text = (share: number, anchor: string) =>
    html`<text x="${percent(share)}" y="${y}" text-anchor="${anchor}">${dayOf(from + 1 + share * (to - from - 1))}</text>`
  return html`${text(0, 'start')}${text(0.5, 'middle')}${text(1, 'end')}`
}
