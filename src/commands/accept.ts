import type { Command } from 'commander'
import { checks } from '../checks/index.ts'
import { configuredBaseline } from '../checks/support/drift.ts'
import { createViews, type Views } from '../daemon/views.ts'
import type { HoldRow, Mirror } from '../mirror/port.ts'
import { UsageError } from '../model/errors.ts'
import type { FindingView } from '../model/finding.ts'
import { remedyOf } from '../model/hold-remedy.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { printableJson } from '../model/text/printable-json.ts'
import { table } from '../report/formats.ts'
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
    .argument('[id]', 'id of a hold, or fingerprint of a drift finding; without it all holds are listed')
    .description('list or accept holds; accept drift')
    .option('--count <n>', 'refuse when the hold now covers another number', wholeNumber)
    .option('--reason <text>', 'why it is accepted; stored with the decision')
    .addHelpText(
      'after',
      `
A running engine applies a decision before its next run; without one, the next sync does.
The list has one hold per line: id, tenant, resource, reason, count; a terminal gets a heading, too.
Drift (auth-settings-unchanged, role-permissions-unchanged) is accepted by the fingerprint of its finding or a prefix of
it: the state that the finding shows becomes the baseline.

Examples:
  tenantwatch accept
  tenantwatch accept 3f2a9c01b7de --count 120 --reason "Left with the spin-off, ticket 4711"
  tenantwatch findings
  tenantwatch accept e49418ad0f73 --reason "Agreed with the board on 3 May"`,
    )
    .action(async (hold: string | undefined, options: AcceptOptions, command: Command) =>
      done(await accept(io, hold, options, command)),
    )
}

/** One hold per line for programs; a terminal gets a heading and the command to accept. */
function list(io: Io, holds: readonly HoldRow[]): void {
  if (holds.length === 0) {
    io.stderr.write('No holds\n')
    return
  }
  const rows = holds.map(({ id, tenant, resource, reason, count }) => [id, tenant, resource, reason, String(count)])
  if (io.stdout.isTTY !== true) {
    for (const row of rows) print(io, row.join(' '))
    return
  }
  print(io, table(['ID', 'TENANT', 'RESOURCE', 'REASON', 'COUNT'], rows))
  const next = holds.find((hold) => remedyOf(hold) === null)
  if (next !== undefined) {
    print(io, `\nAccept one with: tenantwatch accept ${next.id} --count ${next.count} --reason "..."`)
  }
  for (const hold of holds) {
    const remedy = remedyOf(hold)
    if (remedy !== null) print(io, `\n${hold.id} cannot be accepted. ${remedy}`)
  }
}

async function accept(io: Io, id: string | undefined, options: AcceptOptions, command: Command): Promise<ExitCode> {
  const { settings } = loadConfiguration(io, command)
  await using mirror = await openVerifiedMirror(settings, io)
  const holds = await mirror.holds()
  if (id === undefined) {
    list(io, holds)
    return exitCodes.ok
  }
  const hold = holds.find((one) => one.id === id)
  const reason = options.reason?.trim() ?? ''
  if (hold === undefined && options.count === undefined && mayBeFingerprint(id)) {
    const views = createViews(mirror, settings, io.clock)
    if (await acceptDrift({ io, mirror, views, given: id, reason })) return exitCodes.ok
  }
  if (hold === undefined) throw new UsageError('No hold has this id; "tenantwatch accept" lists all holds')
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

/** True when a text may be the prefix of a fingerprint. */
function mayBeFingerprint(given: string): boolean {
  return /^[\da-f]{6,32}$/i.test(given)
}

interface AcceptDrift {
  readonly io: Io
  readonly mirror: Mirror
  readonly views: Views
  readonly given: string
  readonly reason: string
}

/** Changes since the finding was evaluated stay findings. @returns false when no open finding has that fingerprint. */
async function acceptDrift({ io, mirror, views, given, reason }: AcceptDrift): Promise<boolean> {
  const found: FindingView[] = []
  for await (const finding of views.findings({ states: ['open', 'waived'] })) {
    if (finding.fingerprint.startsWith(given.toLowerCase())) found.push(finding)
  }
  const [finding, other] = found
  if (finding === undefined) return false
  if (other !== undefined)
    throw new UsageError('Several findings match this prefix; give more characters of the fingerprint')
  const { check, entity, evidence, tenant } = finding
  const drifting = checks.filter((one) => 'drift' in one).map(({ id }) => id as string)
  if (!drifting.includes(check)) {
    const names = drifting.join(' and ')
    throw new UsageError(`Only findings of ${names} can be accepted; waive this one in the configuration`)
  }
  if (evidence['expectedFrom'] === configuredBaseline) {
    throw new UsageError(`The baseline of this finding is configured: change checks.${check}.baseline instead`)
  }
  if (reason === '') throw new UsageError('Give a reason with --reason TEXT: it is kept for auditors')
  const row = (await mirror.tenants()).find(({ name }) => name === tenant)
  if (row === undefined) return false
  const state = evidence['present'] ?? null
  await mirror.acceptState(row.id, check, { entityId: entity.id, state, at: io.clock.now(), reason })
  const what = printable(`${check} of ${tenant} ${entity.id}: ${printableJson(state)}`)
  print(io, `Accepted: ${what}. The finding ends with the next evaluation.`)
  return true
}
