import { html } from 'hono/html'
import { dayOf } from '../../model/dates.ts'
import { describeDuration, hourMs } from '../../model/durations.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import type { Trend } from '../../model/trend.ts'
import type { Html } from '../page/text.ts'
import { axis, key, percent, plot } from './frame.ts'

const [top, bottom, height] = [14, 112, 140]
/** Room for the numbers above and below the bars. */
const numbers = 13
/** Numbers of more weeks would overlap. */
const mostNumbers = 14

type Week = Trend['weeks'][number]

/** Findings that were opened and resolved in each week. */
export function weeksOfFindings(trend: Trend, name: string): Html {
  const { weeks, medianHoursToFix, samples } = trend
  const begin = samples.find(({ open }) => open !== null)
  const sum = (field: 'opened' | 'resolved') => weeks.reduce((all, week) => all + week[field], 0)
  const median = toFix(medianHoursToFix)
  return plot({
    id: `weeks-${name}`,
    title: 'Opened and resolved by week',
    head: html`<p>Median time to fix <strong>${median}</strong></p>`,
    description: `In ${weeks.length} weeks ${number(sum('opened'))} opened and ${number(sum('resolved'))} resolved. Median time to fix: ${median}.`,
    height,
    body: drawn(trend),
    legend: [key('opened', 'opened'), key('resolved', 'resolved')],
    table: {
      columns: ['Week until', 'Opened', 'Resolved', 'Median time to fix'],
      // A week before the history is not one without findings.
      rows: weeks
        .filter(({ to, opened }) => opened > 0 || (begin !== undefined && to >= begin.at))
        .toReversed()
        .map((week) => {
          return [dayOf(week.to), number(week.opened), number(week.resolved), toFix(week.medianHoursToFix)]
        }),
      empty: 'There is no week yet.',
    },
  })
}

function toFix(hours: number | null): string {
  return hours === null ? '–' : describeDuration(hours * hourMs)
}

/** Opened above and resolved below one line. The first evaluation opens all at once; its bar is cut. */
function drawn({ weeks, samples, from, to }: Trend): Html {
  const begin = samples.find(({ open }) => open !== null)
  const isFirst = ({ from: after, to: until }: Week) =>
    begin !== undefined && begin !== samples[0] && begin.at > after && begin.at <= until
  const others = weeks.some((week) => !isFirst(week) && week.opened + week.resolved > 0)
  const measured = others ? weeks.filter((week) => !isFirst(week)) : weeks
  const up = Math.max(0, ...measured.map(({ opened }) => opened))
  const down = Math.max(0, ...weeks.map(({ resolved }) => resolved))
  const scale = (bottom - top - 2 * numbers) / Math.max(1, up + down)
  const line = top + numbers + up * scale
  const slot = 1 / weeks.length
  const bar = (week: Week, field: 'opened' | 'resolved', left: number) => {
    const tall = Math.min(week[field], field === 'opened' ? up : down) * scale
    const y = field === 'opened' ? line - tall : line
    const cut =
      field === 'opened' && week.opened > up
        ? html`<line class="cut" x1="${percent(left)}" x2="${percent(left + slot)}" y1="${y + 4}" y2="${y + 4}"/>`
        : ''
    const label =
      week[field] === 0 || weeks.length > mostNumbers
        ? ''
        : html`<text x="${percent(left + slot / 2)}" y="${field === 'opened' ? y - 3 : y + tall + 11}" text-anchor="middle">${brief(week[field])}</text>`
    return html`<rect class="${field}" x="${percent(left + slot * 0.18)}" width="${percent(slot * 0.64)}" y="${y.toFixed(1)}" height="${tall.toFixed(1)}"/>${cut}${label}`
  }
  return html`${weeks.map(
    (week, i) =>
      html`<g><title>Until ${dayOf(week.to)}: ${number(week.opened)} opened, ${number(week.resolved)} resolved</title>${bar(week, 'opened', i * slot)}${bar(week, 'resolved', i * slot)}</g>`,
  )}
<line class="base" x1="0" x2="100%" y1="${line}" y2="${line}"/>${axis({ from: weeks[0]?.from ?? from, to }, height - 4)}`
}

/** At most four characters. */
function brief(count: number): string {
  return count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`
}
