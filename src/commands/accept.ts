import type { Command } from 'commander'
import { createViews } from '../daemon/views.ts'
import type { HoldRow, Mirror } from '../mirror/port.ts'
import { UsageError } from '../model/errors.ts'
import { remedyOf } from '../model/hold-remedy.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { table } from '../report/formats.ts'
import { acceptDrift, listDrift } from './support/accept-drift.ts'
import { loadConfiguration } from './support/configuration.ts'
import { wholeNumber } from './support/options.ts'
import { openVerifiedMirror } from './support/verified-mirror.ts'

interface AcceptOptions {
  readonly count?: number
  readonly reason?: string
}

export function addAccept(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('accept')
    .argument('[id]', 'id of a hold or of a drifted state; without it both are listed')
    .description('list or accept holds; accept drift')
    .option('--count <n>', 'refuse when the hold now covers another number', wholeNumber)
    .option('--reason <text>', 'why it is accepted; stored with the decision')
    .addHelpText(
      'after',
      `
A running engine applies a decision before its next run; without one, the next sync does.
The list has one hold per line: id, tenant, resource, reason, count, and the word "accepted" if no run has applied that
yet; a terminal gets a heading, too. Drift that can be accepted (auth-settings-unchanged, role-permissions-unchanged) is
listed on standard error.
The id of a drifted state is the fingerprint of its finding with a digest of that state; findings, explain and the page
show it, too. The check compares with the accepted state from then on. A fingerprint alone is refused, and so is the id of
a state that has changed since.

Examples:
  tenantwatch accept
  tenantwatch accept 3f2a9c01b7de --count 120 --reason "Left with the spin-off, ticket 4711"
  tenantwatch accept e49418ad0f73-5f2c90ab --reason "Agreed with the board on 3 May"`,
    )
    .action(async (hold: string | undefined, options: AcceptOptions, command: Command) =>
      done(await accept(io, hold, options, command)),
    )
}

/** Ids of holds whose acceptance no run has applied yet. */
async function acceptedHolds(mirror: Mirror): Promise<ReadonlySet<string>> {
  const decisions = await mirror.decisions(null)
  return new Set(decisions.flatMap((one) => (one.accepted === 'hold' && one.appliedAt === null ? [one.id] : [])))
}

/** One hold per line for programs; a terminal gets a heading and the command to accept. */
function list(io: Io, holds: readonly HoldRow[], accepted: ReadonlySet<string>): void {
  if (holds.length === 0) {
    io.stderr.write('No holds\n')
    return
  }
  const rows = holds.map(({ id, tenant, resource, reason, count }) => {
    return [id, tenant, resource, reason, String(count), accepted.has(id) ? 'accepted' : '']
  })
  if (io.stdout.isTTY !== true) {
    for (const row of rows) print(io, row.join(' ').trimEnd())
    return
  }
  print(io, table(['ID', 'TENANT', 'RESOURCE', 'REASON', 'COUNT', 'STATE'], rows))
  const next = holds.find((hold) => remedyOf(hold) === null && !accepted.has(hold.id))
  if (next !== undefined) {
    print(io, `\nAccept one with: tenantwatch accept ${next.id} --count ${next.count} --reason "..."`)
  }
  for (const hold of holds) {
    const remedy = remedyOf(hold)
    if (remedy !== null) print(io, `\n${hold.id} cannot be accepted. ${remedy}`)
  }
}

async function accept(io: Io, id: string | undefined, options: AcceptOptions, command: Command): Promise<ExitCode> {
  const given = (['reason', 'count'] as const).find((option) => options[option] !== undefined)
  if (id === undefined && given !== undefined)
    throw new UsageError(`--${given} needs the id of a hold or of a drifted state; "tenantwatch accept" lists them`)
  const { settings } = loadConfiguration(io, command)
  await using mirror = await openVerifiedMirror(settings, io)
  const holds = await mirror.holds()
  const views = createViews(mirror, settings, io.clock)
  if (id === undefined) {
    list(io, holds, await acceptedHolds(mirror))
    await listDrift(io, mirror, views)
    return exitCodes.ok
  }
  const hold = holds.find((one) => one.id === id)
  const reason = options.reason?.trim() ?? ''
  if (hold === undefined && options.count === undefined) {
    if (await acceptDrift({ io, mirror, views, given: id, reason })) return exitCodes.ok
  }
  if (hold === undefined)
    throw new UsageError(
      options.count === undefined
        ? 'No hold has this id and no drifted state; "tenantwatch accept" lists all of both'
        : 'No hold has this id, and --count is for holds: leave it out to accept a drifted state',
    )
  const remedy = remedyOf(hold)
  if (remedy !== null)
    throw new UsageError(`Hold ${id} cannot be accepted, because the next run would raise it again. ${remedy}`)
  if (reason === '') throw new UsageError('Give a reason with --reason TEXT: it is kept for auditors')
  if (options.count !== undefined && options.count !== hold.count) {
    throw new UsageError(
      `Hold ${id} now covers ${hold.count}, not the number given with --count; review it before accepting`,
    )
  }
  await mirror.decide({ holdId: id, reason, at: io.clock.now() })
  print(
    io,
    `Accepted: ${hold.reason} of ${hold.tenant} ${hold.resource}, ${hold.count}. It takes effect with the next run.`,
  )
  return exitCodes.ok
}
