import { hash } from 'node:crypto'
import ical from 'ical-generator'
import type { Expiry } from '../model/expiry.ts'
import { printable } from '../model/text/printable.ts'
import { withoutEmails, withoutWaiverDetails } from '../model/text/redact.ts'
import { dayMs, hourMs, toIso } from '../model/time.ts'

/** Most events, because calendar clients fail on very large files; the expiries nearest to now are kept. */
const maxEvents = 2000
const longest = 200

/** The format has four-digit years (RFC 5545, 3.3.4); times outside these bounds are moved to the bound. */
const [earliest, latest] = [0, Date.UTC(9999, 11, 31, 23, 59, 59)]

/** RFC 5545, in UTC and with stable UIDs. Within a day the body changes only when an expiry changes. */
export function calendar(expiries: readonly Expiry[], now: number, exposeDetails: boolean): string {
  const nearest = expiries.toSorted((a, b) => Math.abs(a.at - now) - Math.abs(b.at - now)).slice(0, maxEvents)
  const cut = expiries.length > nearest.length ? ` The ${nearest.length} nearest of ${expiries.length} are shown.` : ''
  const made = ical({
    name: 'tenantwatch',
    description: `When secrets of API clients expire and waivers end.${cut}`,
    prodId: { company: 'tenantwatch', product: 'tenantwatch', language: 'EN' },
    ttl: (6 * hourMs) / 1000,
  })
  const stamp = new Date(Math.floor(now / dayMs) * dayMs)
  for (const expiry of nearest.toSorted((a, b) => a.at - b.at)) {
    const shown = exposeDetails || expiry.kind === 'secret' ? expiry : withoutWaiverDetails(expiry)
    const { summary, details } = wordsOf(shown)
    const worded = (text: string) => (exposeDetails ? text : withoutEmails(text))
    made.createEvent({
      id: uidOf(expiry),
      stamp,
      start: new Date(Math.min(Math.max(expiry.at, earliest), latest)),
      summary: worded(summary),
      description: details.map(worded).join('\n'),
    })
  }
  return `${made.toString()}\r\n`
}

/** Does not change with name, role or date, and contains no names that a person chose. */
function uidOf({ tenant, kind, id }: Expiry): string {
  return `${hash('sha256', JSON.stringify([tenant, kind, id])).slice(0, 32)}@tenantwatch`
}

function wordsOf(expiry: Expiry): { readonly summary: string; readonly details: readonly string[] } {
  const { tenant, at } = expiry
  const when = `At ${toIso(at)}, tenant ${tenant}`
  if (expiry.kind === 'secret') {
    const { id, name, role, own } = expiry
    const title = foreign(name ?? id)
    return {
      summary: own
        ? `${tenant}: the secret of tenantwatch itself (${title}) expires, monitoring stops`
        : `${tenant}: the secret of API client ${title} expires`,
      details: [when, `Client ${foreign(id)}`, ...(role === null ? [] : [`Role ${foreign(role)}`])],
    }
  }
  const { id, check, entity, owner, reason, state } = expiry
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

function foreign(text: string): string {
  return printable(text, longest)
}
