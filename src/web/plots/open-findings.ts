import { html } from 'hono/html'
import { countsInWords, highestFirst, type SeverityCounts, total } from '../../model/severity.ts'
import { grouped as number } from '../../model/text/words.ts'
import { dayMs, dayOf, hourMs } from '../../model/time.ts'
import type { Span, Trend } from '../../model/trend.ts'
import type { Html } from '../page/html.ts'
import { axis, band, compact, key, percent, plot, ticksTo } from './frame.ts'

const [top, base, height] = [12, 150, 170]

/** @param most samples shown. @param links to other spans of time. */
export function openFindings(trend: Trend, name: string, most = Number.POSITIVE_INFINITY, links?: Html): Html {
  const samples = trend.samples.slice(-most)
  const { to } = trend
  const from = to - samples.length * stepOf(trend)
  const inside = (spans: readonly Span[]) => spans.filter((one) => one.to > from && one.from < to)
  const shown = { ...trend, from, samples, gaps: inside(trend.gaps), holds: inside(trend.holds) }
  const [first, last] = [samples.find(({ open }) => open !== null), samples.at(-1)]
  const open = last?.open ?? null
  const seen = highestFirst.filter((severity) => samples.some((one) => (one.open?.[severity] ?? 0) > 0))
  const legend = seen.map((severity) => key(`s-${severity}`, `${severity} ${number(open?.[severity] ?? 0)}`))
  if (shown.gaps.length > 0) legend.push(key('gap', 'without data'))
  if (shown.holds.length > 0) legend.push(key('on-hold', 'on hold'))
  return plot({
    ...{ id: `open-${name}`, title: 'Open findings', height, legend },
    head: html`<p><strong>${open === null ? 'not known' : number(total(open))}</strong> ${inADay(shown)}waived ones included</p>${links ?? ''}`,
    description: `On ${dayOf(first?.at ?? to)}: ${inWords(first?.open ?? null)}. On ${dayOf(to)}: ${inWords(open)}. Times without data: ${shown.gaps.length}. Holds: ${shown.holds.length}.`,
    body: drawn(shown, name),
    table: tableOf(shown, seen),
  })
}

function stepOf({ samples: [first, second] }: Trend): number {
  return first === undefined || second === undefined ? dayMs : second.at - first.at
}

/** `+5 in a day, `; without all data a smaller number is no good news. */
function inADay(trend: Trend): string {
  const [before, now] = trend.samples.slice(-2)
  if (stepOf(trend) !== dayMs || before?.open == null || now?.open == null) return ''
  const change = total(now.open) - total(before.open)
  const words = change === 0 ? 'no more or less' : `${change > 0 ? '+' : '−'}${number(Math.abs(change))}`
  return `${words} in a day${overlapMs(trend.gaps, before.at, now.at) > 0 ? ' with data missing' : ''}, `
}

function overlapMs(spans: readonly Span[], from: number, to: number): number {
  return spans.reduce((sum, one) => sum + Math.max(0, Math.min(one.to, to) - Math.max(one.from, from)), 0)
}

function inWords(open: Readonly<SeverityCounts> | null): string {
  if (open === null) return 'not known'
  return countsInWords(open).join(', ') || 'none'
}

function drawn(trend: Trend, name: string): Html {
  const { samples, gaps, holds } = trend
  const ticks = ticksTo(Math.max(...samples.map(({ open }) => total(open ?? {}))))
  const scale = (base - top) / (ticks.at(-1) ?? 1)
  const lines = ticks.map((tick) => ({ tick, y: Math.round(base - tick * scale) }))
  return html`<defs><pattern id="gap-${name}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="2" height="6"/></pattern></defs>
${lines.map(({ tick, y }) => html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/><text x="-8" y="${y + 4}" text-anchor="end">${compact.format(tick)}</text>`)}
${samples.map((_, i) => column(samples, i, scale))}
${gaps.map((gap) => band(gap, trend, html`y="${top}" height="${base - top}" class="gap-band" fill="url(#gap-${name})"`))}
${holds.map((hold) => band(hold, trend, html`y="2" height="5" class="on-hold"`))}
${axis(trend, height - 4)}`
}

/** At least two pixels for each severity, so that one finding among many is visible. */
function column(samples: Trend['samples'], i: number, scale: number): Html | string {
  const { open = null, at = 0 } = samples[i] ?? {}
  if (open === null) return ''
  const place = html`x="${percent((i + 0.09) / samples.length)}" width="${percent(0.82 / samples.length)}"`
  let [sum, y] = [0, base]
  const parts = highestFirst
    .filter((severity) => (open[severity] ?? 0) > 0)
    .map((severity) => {
      sum += open[severity] ?? 0
      const bottom = y
      y = Math.min(bottom - 2, Math.round(base - sum * scale))
      return html`<rect class="s-${severity}" ${place} y="${y}" height="${bottom - y}"/>`
    })
  return html`<g><title>${dayOf(at)}: ${inWords(open)}</title><rect fill="transparent" ${place} y="${top}" height="${base - top}"/>${parts}</g>`
}

/** Newest first, by days, or by weeks where there are many. */
function tableOf(trend: Trend, seen: typeof highestFirst): Parameters<typeof plot>[0]['table'] {
  const { samples, gaps, holds } = trend
  const every = samples.length > 31 ? 7 : 1
  const rows = samples.toReversed().filter((_, i) => i % every === 0)
  return {
    columns: ['Until', 'Open', ...seen, 'Hours without data', 'On hold'],
    rows: rows.map(({ at, open }) => [
      dayOf(at),
      ...[total(open ?? {}), ...seen.map((severity) => open?.[severity] ?? 0)].map((count) =>
        open === null ? '–' : number(count),
      ),
      String(Math.round(overlapMs(gaps, at - every * stepOf(trend), at) / hourMs)),
      overlapMs(holds, at - every * stepOf(trend), at) > 0 ? 'yes' : 'no',
    ]),
    empty: 'No check was evaluated yet.',
  }
}
