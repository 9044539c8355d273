import { Option } from 'commander'
import { dataNotes } from '../model/describe.ts'
import { type Expiry, withoutSecretDetails } from '../model/expiry.ts'
import { type Columns, membersOf, toMinute } from '../model/text/formats.ts'
import { withoutWaiverDetails } from '../model/text/redact.ts'
import { dayMs, distance, toIso } from '../model/time.ts'
import { addList, type Listing } from './list.ts'
import { type OpenMirror, openMirror } from './support/configuration.ts'
import { configuredTenant, detailsOption, tenantOption, wholeNumber } from './support/options.ts'

interface ExpiringOptions {
  readonly days: number
  readonly tenant?: string
  readonly details?: boolean
}

export const addExpiring = addList<ExpiringOptions>({
  name: 'expiring',
  summary: 'list secrets and waivers that end soon or have ended, in order of time',
  options: [
    new Option('--days <n>', 'how far to look ahead').argParser(wholeNumber).default(90),
    tenantOption(),
    detailsOption(),
  ],
  help: `Works beside a running engine. Without --details, what a waiver covers is [hidden]
where it may name a person or a file. /calendar.ics serves the same as a calendar.

Examples:
  tenantwatch expiring --days 30
  tenantwatch expiring --format csv --output expiring.csv`,
  async run({ io, command, options, present }) {
    await using opened = await openMirror(io, command)
    return await present(await listExpiries(opened, options))
  },
})

/** @throws UsageError on an unknown tenant. */
export async function listExpiries(
  { settings, views, now }: OpenMirror,
  { days, tenant: given, details = false }: ExpiringOptions,
): Promise<Listing<Expiry>> {
  const tenant = configuredTenant(settings, given)
  const ending = (await views.expiries(tenant)).filter(({ at }) => at <= now + days * dayMs)
  return {
    rows: details ? ending : ending.map(withoutNamesIn),
    columns: columnsAt(now),
    table: {
      EXPIRES: ({ at }) => toMinute(toIso(at)),
      IN: ({ at }) => distance(at, now),
      TENANT: ({ tenant: name }) => name,
      KIND: kindOf,
      ID: ({ id }) => id,
      OF: subjectOf,
    },
    optional: ['TENANT', 'ID', 'KIND'],
    lines: 2,
    none: `No known secret or waiver ends within ${days} days.`,
    notes: dataNotes(await views.posture(tenant), ['api-clients']),
  }
}

/** An operator sees who waived what. */
function withoutNamesIn(expiry: Expiry): Expiry {
  if (expiry.kind === 'secret') return withoutSecretDetails(expiry)
  return { ...expiry, entity: withoutWaiverDetails(expiry).entity }
}

/** The same columns for both kinds, null if a kind has none. `daysLeft`: whole days, negative a day after the end. */
function columnsAt(now: number): Columns<Expiry> {
  return {
    expires: ({ at }) => toIso(at),
    daysLeft: ({ at }) => Math.trunc((at - now) / dayMs),
    ...membersOf('tenant', 'kind', 'id'),
    name: (one) => (one.kind === 'secret' ? one.name : null),
    role: (one) => (one.kind === 'secret' ? one.role : null),
    own: (one) => one.kind === 'secret' && one.own,
    check: (one) => (one.kind === 'waiver' ? one.check : null),
    entity: (one) => (one.kind === 'waiver' ? one.entity : null),
    owner: (one) => (one.kind === 'waiver' ? one.owner : null),
    state: (one) => (one.kind === 'waiver' ? one.state : one.at <= now ? 'expired' : 'valid'),
  }
}

function kindOf(expiry: Expiry): string {
  if (expiry.kind === 'secret' || expiry.state === 'active' || expiry.state === 'expired') return expiry.kind
  return `${expiry.kind}, ${expiry.state}`
}

function subjectOf(expiry: Expiry): string {
  if (expiry.kind === 'waiver') return `${expiry.check} ${expiry.entity}, owner ${expiry.owner}`
  return `${expiry.own ? 'tenantwatch itself: ' : ''}${expiry.name ?? ''}`
}
