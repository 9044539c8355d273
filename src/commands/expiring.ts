import type { Command } from 'commander'
import { createViews } from '../daemon/views.ts'
import { toIso } from '../model/dates.ts'
import { dayMs, distance } from '../model/durations.ts'
import { UsageError } from '../model/errors.ts'
import type { Expiry } from '../model/expiry.ts'
import { shortGuid } from '../model/guid.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { dataWarnings } from '../report/data-warnings.ts'
import { fittingTable } from '../report/fitting-table.ts'
import { serialize, toMinute } from '../report/formats.ts'
import { type Terminal, terminalOf, wrapLine } from '../report/terminal.ts'
import { loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { note, writeAll } from './support/io.ts'
import { nextLines } from './support/next-command.ts'
import { oneOf, repeated, tenantOption } from './support/options.ts'

const formats = ['table', 'json', 'ndjson', 'csv'] as const
const maxDays = 36_500

interface ExpiringOptions {
  readonly days: string
  readonly tenant?: string
  readonly format: string
  readonly wide?: boolean
}

export function addExpiring(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('expiring')
    .description('list secrets and waivers that end soon or have ended, in order of time')
    .option('--days <n>', 'how far to look ahead', '90')
    .option('--tenant <name>', 'only this tenant')
    .option('--format <format>', formats.join(', '), 'table')
    .option('--wide', 'all columns and whole ids on a terminal, too, however long the lines')
    .addHelpText(
      'after',
      `
Works beside a running engine. /calendar.ics serves all of them as a calendar.

Examples:
  tenantwatch expiring --days 30
  tenantwatch expiring --format csv > expiring.csv`,
    )
    .action(async (options: ExpiringOptions, command: Command) => done(await expiring(io, options, command)))
}

async function expiring(io: Io, options: ExpiringOptions, command: Command): Promise<ExitCode> {
  const format = oneOf('format', formats, options.format)
  const days = daysOf(options.days)
  const { settings } = loadConfiguration(io, command)
  const tenant = tenantOption(settings, options.tenant)
  await using mirror = await openVerifiedMirror(settings, io)
  const views = createViews(mirror, settings, io.clock)
  const now = io.clock.now()
  const found = (await views.expiries(tenant)).filter(({ at }) => at <= now + days * dayMs)
  const rows = found.map((expiry) => rowOf(expiry, now))
  const cells = (row: Row) => columns.map((column) => row[column])
  const pieces =
    format === 'table'
      ? [expiringTable(found, { now, days, terminal: options.wide === true ? null : terminalOf(io), command })]
      : serialize(format, rows, { columns, cells })
  await writeAll(io, pieces)
  // Data quality warnings, so that an incomplete list does not look complete.
  for (const posture of await views.posture(tenant)) {
    for (const line of dataWarnings(posture, 'api-clients')) {
      if (format === 'table') print(io, wrapLine(line, terminalOf(io)))
      else note(io, line)
    }
  }
  return exitCodes.ok
}

function daysOf(text: string): number {
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (days <= maxDays) return days
  throw new UsageError(
    `Invalid value of --days${repeated(text)}: expected a whole number of days from 0 to ${maxDays}, such as 30`,
  )
}

const columns = [
  'expires',
  'daysLeft',
  'tenant',
  'kind',
  'id',
  'name',
  'role',
  'own',
  'check',
  'entity',
  'owner',
  'state',
] as const

type Row = Readonly<Record<(typeof columns)[number], unknown>>

/** The same columns for both kinds, null if a kind has none. `daysLeft`: whole days, negative a day after the end. */
function rowOf(expiry: Expiry, now: number): Row {
  const { tenant, kind, id, at } = expiry
  const common = { expires: toIso(at), daysLeft: Math.trunc((at - now) / dayMs), tenant, kind, id }
  if (expiry.kind === 'secret') {
    const { name, role, own } = expiry
    return {
      ...common,
      name,
      role,
      own,
      check: null,
      entity: null,
      owner: null,
      state: at <= now ? 'expired' : 'valid',
    }
  }
  const { check, entity, owner, state } = expiry
  return { ...common, name: null, role: null, own: false, check, entity, owner, state }
}

interface TableOptions {
  readonly now: number
  readonly days: number
  readonly terminal: Terminal | null
  readonly command: Command
}

function expiringTable(found: readonly Expiry[], { now, days, terminal, command }: TableOptions): string {
  if (found.length === 0) return `No known secret or waiver ends within ${days} days.\n`
  const isNarrow = terminal !== null && terminal.columns < columnsOfGuids
  const short = (id: string) => (isNarrow ? shortGuid(id) : id)
  const rows = found.map((expiry) => [
    toMinute(toIso(expiry.at)),
    distance(expiry.at, now),
    expiry.tenant,
    kindOf(expiry),
    short(expiry.id),
    expiry.kind === 'secret'
      ? `${expiry.own ? 'tenantwatch itself: ' : ''}${expiry.name ?? ''}`
      : `${expiry.check} ${short(expiry.entity)}`,
    expiry.kind === 'secret' ? '' : `owner ${expiry.owner}`,
  ])
  const heading = ['EXPIRES (UTC)', '', 'TENANT', 'KIND', 'ID', 'OF', 'WAIVER']
  const isOneTenant = new Set(found.map(({ tenant }) => tenant)).size === 1
  const optional = ['WAIVER', ...(isOneTenant ? ['TENANT'] : [])]
  const text = `${fittingTable(heading, rows, terminal, { optional, ownLine: 'OF' })}\n`
  return isNarrow ? `${text}\n${nextLines(command, terminal, 'To see whole ids', 'expiring --wide')}\n` : text
}

/** A narrower terminal shows only the first characters of a GUID. */
const columnsOfGuids = 120

function kindOf(expiry: Expiry): string {
  if (expiry.kind === 'secret' || expiry.state === 'active' || expiry.state === 'expired') return expiry.kind
  return `${expiry.kind}, ${expiry.state}`
}
