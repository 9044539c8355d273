import { html } from 'hono/html'
import { type Expiry, expiryName } from '../../model/expiry.ts'
import { printable } from '../../model/text/printable.ts'
import { plural } from '../../model/text/words.ts'
import { dayMs, dayOf, distance } from '../../model/time.ts'
import { foreign, type Html } from '../page/html.ts'
import { axis, band, key, percent, plot, shareOf } from './frame.ts'

const lanes = { secret: 30, waiver: 72 } as const
const [top, base, height] = [8, 94, 112]
const maxRows = 100
/** Ends that are nearer to each other are one mark with their number. */
const nearMs = 5 * dayMs

/** What ends within the next 90 days. @param note about what is known, such as that secrets were read long ago. */
export function endings(all: readonly Expiry[], name: string, now: number, note = ''): Html {
  const span = { from: now, to: now + 90 * dayMs }
  const ahead = all.filter(({ at }) => at > now && at <= span.to).toSorted((a, b) => a.at - b.at)
  const of = (kind: Expiry['kind']) => ahead.filter((one) => one.kind === kind)
  const words = `${plural(of('secret').length, 'secret')} and ${plural(of('waiver').length, 'waiver')}`
  const zone = (kind: string, from: number, to: number) =>
    band(
      { from: now + from * dayMs, to: now + to * dayMs },
      span,
      html`class="${kind}" y="${top}" height="${base - top}"`,
    )
  const lane = (kind: Expiry['kind']) =>
    html`<line class="grid" x1="0" x2="100%" y1="${lanes[kind]}" y2="${lanes[kind]}"/><text x="-8" y="${lanes[kind] + 4}" text-anchor="end">${kind}s</text>${groupsOf(of(kind)).map((group) => mark(group, percent(shareOf(group[0].at, span)), now))}`
  return plot({
    ...{ id: `ends-${name}`, title: 'Ends within 90 days', height },
    head: html`<p>${words} <span class="text-unknown">${note}</span></p>`,
    description: `${words} end. ${note}`,
    body: html`${zone('near', 0, 7)}${zone('soon', 7, 30)}${lane('secret')}${lane('waiver')}${axis(span, height - 3)}`,
    legend: [key('near', 'within 7 days'), key('soon', 'within 30 days')],
    table: {
      columns: ['Ends', 'In', 'What'],
      rows: ahead
        .slice(0, maxRows)
        .map((one) => [dayOf(one.at), distance(one.at, now), html`${one.kind} ${foreign(expiryName(one))}`]),
      empty: 'No known secret or waiver ends within 90 days.',
    },
  })
}

type Group = [Expiry, ...Expiry[]]

/** @param ends in order of time */
function groupsOf(ends: readonly Expiry[]): readonly Group[] {
  const groups: Group[] = []
  for (const one of ends) {
    const last = groups.at(-1)
    if (last !== undefined && one.at - last[0].at < nearMs) last.push(one)
    else groups.push([one])
  }
  return groups
}

function mark(group: Group, x: string, now: number): Html {
  const {
    length,
    0: { kind },
  } = group
  const names = group.slice(0, 5).map((one) => `${printable(expiryName(one), 60)} ${distance(one.at, now)}`)
  if (length > names.length) names.push(`and ${length - names.length} more`)
  const text = length === 1 ? '' : html`<text x="${x}" y="${lanes[kind] - 10}" text-anchor="middle">${length}</text>`
  return html`<g><title>${names.join(', ')}</title><circle class="${kind}" cx="${x}" cy="${lanes[kind]}" r="${length === 1 ? 5 : 7}"/>${text}</g>`
}
