import { html } from 'hono/html'
import { grouped as number } from '../../model/text/words.ts'
import { dayOf, describeDuration, hourMs } from '../../model/time.ts'
import type { Trend } from '../../model/trend.ts'
import type { Html } from '../page/html.ts'
import { axis, compact, key, percent, plot, shareOf } from './frame.ts'

const [top, bottom, height] = [27, 99, 140]

/** Findings that were opened and resolved in each week. */
export function weeksOfFindings(trend: Trend, name: string): Html {
  const { weeks, medianHoursToFix } = trend
  const [opened, resolved, fixed] = (['opened', 'resolved', 'fixed'] as const)
    .map((kind) => weeks.map((week) => week[kind]))
    .map((counts) => number(counts.reduce((a, b) => a + b, 0)))
  const median = html`Median time to fix: <strong>${timeToFix(medianHoursToFix)}</strong>`
  return plot({
    ...{ id: `weeks-${name}`, title: 'Opened and resolved by week', height },
    head: html`<p>${median}</p>`,
    description: `${opened} opened, ${resolved} resolved, of these ${fixed} fixed. Median time to fix: ${timeToFix(medianHoursToFix)}.`,
    body: drawn(trend),
    legend: [key('opened', 'opened'), key('resolved', 'resolved')],
    table: {
      columns: ['Week until', 'Opened', 'Resolved', 'Of these fixed', 'Median time to fix'],
      rows: weeks
        .toReversed()
        .map((week) => [
          dayOf(week.to),
          number(week.opened),
          number(week.resolved),
          number(week.fixed),
          timeToFix(week.medianHoursToFix),
        ]),
      empty: 'The tenant was never read.',
    },
  })
}

/** The median time to fix, in hours; null = nothing was fixed. */
export function timeToFix(hours: number | null): string {
  return hours === null ? '–' : describeDuration(Math.round(hours * hourMs))
}

/** Opened above and resolved below one line. The first evaluation opens all at once: its bar is cut. */
function drawn({ weeks, mirroredAt, ...span }: Trend): Html {
  const later = weeks.filter((week) => week.from > mirroredAt && week.opened + week.resolved > 0)
  const down = Math.max(0, ...weeks.map(({ resolved }) => resolved))
  const most = Math.max(0, ...weeks.map(({ opened }) => opened))
  const up = later.length === 0 ? most : Math.min(most, Math.max(down, ...later.map(({ opened }) => opened)))
  const scale = (bottom - top) / Math.max(1, up + down)
  const line = Math.round(top + up * scale)
  const axisSpan = { from: Math.min(span.from, weeks[0]?.from ?? span.from), to: span.to }
  const bar = (kind: 'opened' | 'resolved', count: number, [left, right]: readonly [number, number]) => {
    const tall = Math.round(Math.min(count, kind === 'opened' ? up : down) * scale)
    const [y, label] = kind === 'opened' ? [line - tall, line - tall - 3] : [line, line + tall + 11]
    const width = right - left
    const cut =
      kind === 'opened' && count > up
        ? html`<line class="cut" x1="${percent(left)}" x2="${percent(right)}" y1="${y + 4}" y2="${y + 4}"/>`
        : ''
    // More numbers than of a quarter of a year would overlap.
    const text =
      count === 0 || width < 1 / 15
        ? ''
        : html`<text x="${percent(left + width / 2)}" y="${label}" text-anchor="middle">${compact.format(count)}</text>`
    return html`<rect class="${kind}" x="${percent(left + width * 0.18)}" width="${percent(width * 0.64)}" y="${y}" height="${tall}"/>${cut}${text}`
  }
  const bars = weeks.map(({ from, to, opened, resolved }) => {
    const place = [shareOf(from, axisSpan), shareOf(to, axisSpan)] as const
    return html`<g><title>Until ${dayOf(to)}: ${number(opened)} opened, ${number(resolved)} resolved</title>${bar('opened', opened, place)}${bar('resolved', resolved, place)}</g>`
  })
  return html`${bars}<line class="base" x1="0" x2="100%" y1="${line}" y2="${line}"/>${axis(axisSpan, height - 4)}`
}
