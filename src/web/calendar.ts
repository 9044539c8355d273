import { hash } from 'node:crypto'
import { toIso } from '../model/dates.ts'
import { dayMs, hourMs } from '../model/durations.ts'
import type { Deadline } from '../model/process/deadline.ts'
import { printable } from '../model/text/printable.ts'
import { withoutWaiverDetails } from '../model/text/redact-waiver.ts'

/** Events that a calendar takes in at once; of more deadlines those nearest to now are shown. */
const mostEvents = 2000
const longest = 200

/** Instants beyond these, which no calendar shows and the format cannot write (RFC 5545, 3.3.4), stand at the edge. */
const [earliest, latest] = [0, Date.UTC(9999, 11, 31, 23, 59, 59)]

export interface CalendarOptions {
  readonly deadlines: readonly Deadline[]
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly exposeDetails: boolean
}

/**
 * The body of `/calendar.ics` (RFC 5545): an event for every secret's expiry and every waiver's end, at its instant in
 * UTC and under a UID that stays. It changes within a day only when a deadline does.
 */
export async function calendar({ deadlines, now, exposeDetails }: CalendarOptions): Promise<string> {
  // Only who asks for a calendar loads what makes it.
  const { default: ical } = await import('ical-generator')
  const nearest = deadlines.toSorted((a, b) => Math.abs(a.at - now) - Math.abs(b.at - now)).slice(0, mostEvents)
  const cut =
    deadlines.length > nearest.length ? ` The ${nearest.length} nearest of ${deadlines.length} are shown.` : ''
  const made = ical({
    name: 'tenantwatch',
    description: `When secrets of API clients expire and waivers end.${cut}`,
    prodId: { company: 'tenantwatch', product: 'tenantwatch', language: 'EN' },
    ttl: (6 * hourMs) / 1000,
  })
  const stamp = new Date(Math.floor(now / dayMs) * dayMs)
  for (const deadline of nearest.toSorted((a, b) => a.at - b.at)) {
    const shown = exposeDetails || deadline.kind === 'secret' ? deadline : withoutWaiverDetails(deadline)
    const { summary, details } = wordsOf(shown)
    made.createEvent({
      id: uidOf(deadline),
      stamp,
      start: new Date(Math.min(Math.max(deadline.at, earliest), latest)),
      summary,
      description: details.join('\n'),
    })
  }
  return `${made.toString()}\r\n`
}

/** Names nothing that somebody chose, and stays when name, role or date change. */
function uidOf({ tenant, kind, id }: Deadline): string {
  return `${hash('sha256', JSON.stringify([tenant, kind, id])).slice(0, 32)}@tenantwatch`
}

function wordsOf(deadline: Deadline): { readonly summary: string; readonly details: readonly string[] } {
  const { tenant, at } = deadline
  const when = `At ${toIso(at)}, tenant ${tenant}`
  if (deadline.kind === 'secret') {
    const { id, name, role, own } = deadline
    const title = foreign(name ?? id)
    return {
      summary: own
        ? `${tenant}: the secret of tenantwatch itself (${title}) expires, the watch goes blind`
        : `${tenant}: the secret of API client ${title} expires`,
      details: [when, `Client ${foreign(id)}`, ...(role === null ? [] : [`Role ${foreign(role)}`])],
    }
  }
  const { id, check, entity, owner, reason, state } = deadline
  return {
    summary: `${tenant}: waiver ${foreign(id)} ends (${check})`,
    details: [
      when,
      `Check ${check}, entity ${foreign(entity)}`,
      `State ${state}`,
      `Owner ${foreign(owner)}`,
      `Reason: ${foreign(reason)}`,
    ],
  }
}

/** A text that somebody else chose: no line of its own, nothing that acts, and not too long. */
function foreign(text: string): string {
  return printable(text, longest)
}
