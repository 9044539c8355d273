import { html } from 'hono/html'
import { dayOf } from '../../model/dates.ts'
import { dayMs, distance } from '../../model/durations.ts'
import { plural } from '../../model/text/numbers.ts'
import { printable } from '../../model/text/printable.ts'
import { foreign, type Html } from '../page/text.ts'
import { axis, key, percent, plot, shareOf } from './frame.ts'

export const aheadMs = 90 * dayMs

/** A client secret or a waiver that ends. */
export interface Ending {
  readonly kind: 'secret' | 'waiver'
  readonly name: string
  readonly at: number
}

const lanes = { secret: 30, waiver: 72 } as const
const [top, base, height] = [8, 94, 112]
const maxRows = 100
/** Marks that are nearer to each other are one mark with their number. */
const nearMs = 5 * dayMs

/** What ends within the next 90 days. @param note about what is known, such as secrets that were read long ago. */
export function endings(all: readonly Ending[], name: string, now: number, note = ''): Html {
  const span = { from: now, to: now + aheadMs }
  const ahead = all.filter(({ at }) => at > now && at <= span.to).toSorted((a, b) => a.at - b.at)
  const of = (kind: Ending['kind']) => ahead.filter((one) => one.kind === kind)
  const words = `${plural(of('secret').length, 'secret')} and ${plural(of('waiver').length, 'waiver')}`
  const [next] = ahead
  return plot({
    id: `ends-${name}`,
    title: 'Ends within 90 days',
    head: html`<p>${words}${note === '' ? '' : html` <span class="text-unknown">${note}</span>`}</p>`,
    description: `${words} end.${next === undefined ? '' : ` The next one: ${next.kind} ${printable(next.name, 60)} ${distance(next.at, now)}.`}${note === '' ? '' : ` ${note}.`}`,
    height,
    body: html`${zones(now).map(([kind, from, to]) => html`<rect class="${kind}" x="${percent(shareOf(from, span))}" width="${percent(shareOf(to, span) - shareOf(from, span))}" y="${top}" height="${base - top}"/>`)}
${(['secret', 'waiver'] as const).map(
  (kind) =>
    html`<line class="grid" x1="0" x2="100%" y1="${lanes[kind]}" y2="${lanes[kind]}"/><text x="-8" y="${lanes[kind] + 4}" text-anchor="end">${kind}s</text>${marks(of(kind)).map((group) => mark(group, shareOf(group[0]?.at ?? now, span), now))}`,
)}${axis(span, height - 3)}`,
    legend: [key('near', 'within 7 days'), key('soon', 'within 30 days')],
    table: {
      columns: ['Ends', 'In', 'What'],
      rows: ahead
        .slice(0, maxRows)
        .map(({ at, kind, name: of }) => [dayOf(at), distance(at, now), html`${kind} ${foreign(of)}`]),
      empty: 'No known secret or waiver ends within 90 days.',
    },
  })
}

const zones = (now: number) =>
  [
    ['near', now, now + 7 * dayMs],
    ['soon', now + 7 * dayMs, now + 30 * dayMs],
  ] as const

/** @param ends in order of time */
function marks(ends: readonly Ending[]): readonly (readonly Ending[])[] {
  const groups: Ending[][] = []
  for (const one of ends) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && one.at - last[0].at < nearMs) last.push(one)
    else groups.push([one])
  }
  return groups
}

function mark(group: readonly Ending[], share: number, now: number): Html {
  const [first] = group
  if (first === undefined) return html``
  const y = lanes[first.kind]
  const names = group.slice(0, 5).map(({ name, at }) => `${printable(name, 60)} ${distance(at, now)}`)
  const more = group.length > names.length ? `, and ${group.length - names.length} more` : ''
  // Above the mark, because none is next to it for five days.
  const number =
    group.length === 1
      ? ''
      : html`<text x="${percent(share)}" y="${y - 10}" text-anchor="middle">${group.length}</text>`
  return html`<g><title>${names.join(', ')}${more}</title><circle class="${first.kind}" cx="${percent(share)}" cy="${y}" r="${group.length === 1 ? 5 : 7}"/>${number}</g>`
}
