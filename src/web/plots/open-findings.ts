import { html } from 'hono/html'
import { dayOf } from '../../model/dates.ts'
import { dayMs, hourMs } from '../../model/durations.ts'
import { severities, total } from '../../model/severity.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import type { OpenSample, Span, Trend } from '../../model/trend.ts'
import type { Html } from '../page/text.ts'
import { axis, key, percent, plot, shareOf, ticksTo } from './frame.ts'

const ranked = severities.toReversed()
const [top, base, height] = [12, 150, 170]

interface Shown extends Span {
  readonly samples: readonly OpenSample[]
  readonly stepMs: number
  readonly trend: Trend
  readonly name: string
}

/** @param most days shown. @param links to other spans of time. */
export function openFindings(
  trend: Trend,
  name: string,
  most = Number.POSITIVE_INFINITY,
  links: Html | string = '',
): Html {
  const samples = trend.samples.slice(-most)
  const [first, second] = samples
  const { at: to, open } = samples.at(-1) ?? { at: trend.to, open: null }
  const stepMs = first === undefined || second === undefined ? dayMs : second.at - first.at
  const shown = { samples, stepMs, from: to - samples.length * stepMs, to, trend, name }
  const now = open ?? {}
  const legend = ranked
    .filter((severity) => samples.some((one) => (one.open?.[severity] ?? 0) > 0))
    .map((severity) => key(`s-${severity}`, html`${severity} <span class="num">${number(now[severity] ?? 0)}</span>`))
  if (inside(trend.gaps, shown).length > 0) legend.push(key('gap', 'without data'))
  if (inside(holdsOf(trend), shown).length > 0) legend.push(key('on-hold', 'on hold'))
  const sum = open === null ? 'not known yet' : number(total(open))
  return plot({
    id: `open-${name}`,
    title: 'Open findings',
    head: html`<p><strong class="num">${sum}</strong> <span class="ago">${open === null ? '' : `${sinceYesterday(shown)}waived ones included`}</span></p>${links}`,
    description: described(shown),
    height,
    body: drawn(shown),
    legend,
    table: tableOf(shown),
  })
}

const holdsOf = ({ holds, to }: Trend): readonly Span[] => holds.map(({ from, until }) => ({ from, to: until ?? to }))

/** Shorter ones than an hour are not visible, but count in the table. */
function inside(spans: readonly Span[], { from, to }: Span): readonly Span[] {
  return spans.filter((one) => one.to > from && one.from < to && one.to - one.from >= hourMs)
}

/** `+5 since yesterday, `; without all data a smaller number is no good news. */
function sinceYesterday({ samples, stepMs, trend, to }: Shown): string {
  const [before, now] = samples.slice(-2)
  if (stepMs !== dayMs || before?.open == null || now?.open == null) return ''
  const change = total(now.open) - total(before.open)
  const words =
    change === 0 ? 'as many as yesterday' : `${change > 0 ? '+' : '−'}${number(Math.abs(change))} since yesterday`
  return `${words}${overlapMs(trend.gaps, { from: to - dayMs, to }) > 0 ? ' with data missing' : ''}, `
}

function overlapMs(spans: readonly Span[], { from, to }: Span): number {
  return spans.reduce((sum, one) => sum + Math.max(0, Math.min(one.to, to) - Math.max(one.from, from)), 0)
}

function inWords({ open }: OpenSample): string {
  if (open === null) return 'not known'
  const parts = ranked.filter((one) => (open[one] ?? 0) > 0).map((one) => `${number(open[one] ?? 0)} ${one}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}

function described({ samples, trend, ...span }: Shown): string {
  const first = samples.find(({ open }) => open !== null)
  const last = samples.at(-1)
  if (first === undefined || last === undefined) return 'No check was evaluated yet.'
  const [gaps, holds] = [inside(trend.gaps, span).length, inside(holdsOf(trend), span).length]
  return `On ${dayOf(first.at)}: ${inWords(first)}. On ${dayOf(last.at)}: ${inWords(last)}. Times without data: ${gaps}. Holds: ${holds}.`
}

function drawn(shown: Shown): Html {
  const { samples, trend, name } = shown
  const ticks = ticksTo(Math.max(...samples.map(({ open }) => total(open ?? {}))))
  const scale = (base - top) / (ticks.at(-1) ?? 1)
  const band = (one: Span, attributes: Html) => {
    const [from, to] = [shareOf(one.from, shown), shareOf(one.to, shown)]
    return html`<rect x="${percent(from)}" width="${percent(to - from)}" ${attributes}/>`
  }
  return html`<defs><pattern id="gap-${name}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="2" height="6"/></pattern></defs>
${ticks.map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${base - tick * scale}" y2="${base - tick * scale}"/><text x="-8" y="${base - tick * scale + 4}" text-anchor="end">${number(tick)}</text>`)}
${samples.map((one, i) => column(one, i / samples.length, 1 / samples.length, scale))}
${inside(trend.gaps, shown).map((one) => band(one, html`y="${top}" height="${base - top}" fill="url(#gap-${name})"`))}
${inside(holdsOf(trend), shown).map((one) => band(one, html`y="2" height="5" class="on-hold"`))}
${axis(shown, height - 4)}`
}

function column(sample: OpenSample, left: number, slot: number, scale: number): Html | string {
  const { open, at } = sample
  if (open === null) return ''
  const place = html`x="${percent(left + slot * 0.09)}" width="${percent(slot * 0.82)}"`
  let [sum, last] = [0, base]
  const parts = ranked
    .filter((severity) => (open[severity] ?? 0) > 0)
    .map((severity) => {
      sum += open[severity] ?? 0
      const [bottom, y] = [last, Math.min(last - 2, Math.round(base - sum * scale))]
      last = y
      return html`<rect class="s-${severity}" ${place} y="${y}" height="${bottom - y}"/>`
    })
  return html`<g><title>${dayOf(at)}: ${inWords(sample)}</title><rect fill="transparent" ${place} y="${top}" height="${base - top}"/>${parts}</g>`
}

/** Newest first, by days, or by weeks where there are many. */
function tableOf({ samples, stepMs, trend }: Shown): Parameters<typeof plot>[0]['table'] {
  const every = samples.length > 31 ? 7 : 1
  const rows = samples.toReversed().filter((_, i) => i % every === 0)
  const columns = [every * stepMs === dayMs ? 'Day' : 'Until', ...ranked, 'Hours without data', 'On hold']
  return {
    columns,
    rows: rows.map(({ at, open }) => {
      const span = { from: at - every * stepMs, to: at }
      return [
        dayOf(at),
        ...ranked.map((severity) => (open === null ? '–' : number(open[severity] ?? 0))),
        (overlapMs(trend.gaps, span) / hourMs).toFixed(1).replace('.0', ''),
        overlapMs(holdsOf(trend), span) > 0 ? 'yes' : 'no',
      ]
    }),
    empty: 'No check was evaluated yet.',
  }
}
