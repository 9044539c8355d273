import type { Command } from 'commander'
import type { ResourceSettings, Settings } from '../config/settings.ts'
import { createViews } from '../daemon/views.ts'
import { type AcceptedHold, readAcceptedHolds } from '../evaluate/decisions.ts'
import { driftIdPattern } from '../evaluate/findings/identity.ts'
import { dayOf, toIso } from '../model/dates.ts'
import { describeDuration } from '../model/durations.ts'
import { UsageError } from '../model/errors.ts'
import { effectOf, holdAdvice, remedyOf, replacesTenant } from '../model/hold-remedy.ts'
import type { TenantPosture } from '../model/posture.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { plural } from '../model/text/numbers.ts'
import { printableJson } from '../model/text/printable-json.ts'
import type { Next } from '../report/findings-notes.ts'
import { printWrapped } from '../report/terminal.ts'
import type { HoldRow, Mirror } from '../store/port.ts'
import { holdJson } from '../web/postures.ts'
import { acceptDrifts, acceptedSentence, type ListedDrift, listDrift, openDrift } from './support/accept-drift.ts'
import { loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { type ListOptions, listFormatOf, listHeldRecords } from './support/held-records.ts'
import { listHolds } from './support/hold-list.ts'
import { commandFor } from './support/next-command.ts'
import { insistOnReason, leastReason, positiveNumber, wholeNumber } from './support/options.ts'

interface AcceptOptions extends ListOptions {
  readonly count?: number
  readonly reason?: string
  readonly list?: boolean
}

export function addAccept(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('accept')
    .argument('[ids...]', 'id of a hold, or of one or more drifted states; without one both are listed')
    .description('list or accept holds; accept drift')
    .option(
      '--count <n>',
      'number of records that you reviewed; refused if the hold now covers another number; needed for tenant_changed',
      wholeNumber,
    )
    .option('--reason <text>', `why it is accepted, in ${leastReason} characters or more; kept for auditors`)
    .option('--list', 'print the ids of the records that accepting this hold removes; decides nothing')
    .option('--details', 'with --list: include names of persons, e-mails and file names')
    .option('--limit <n>', 'with --list: at most this many ids (default: 100 as text, all as JSON)', positiveNumber)
    .option('--format <format>', 'of a list: text, json')
    .addHelpText(
      'after',
      `
A running daemon applies a decision within an evaluation interval (1 min); without one, the next sync does.

The list has one hold per line: id, tenant, resource, reason, count, and the word "accepted" from the decision until
the hold is gone. A terminal also gets a heading and, under each line, the cause, what to compare and what accepting
does. Accepting a tenant_changed needs --count: it may replace the data of the tenant with those of another one.

Drift that can be accepted (auth-settings-unchanged, role-permissions-unchanged) is listed on standard error; with
--format json, one object has both lists. The id of a drifted state is the fingerprint of its finding with a digest of
that state; findings, explain and the page show it, too. The check compares with the accepted state from then on. A
fingerprint alone is refused, and so is the id of a state that has changed since. Of several ids, all are accepted or
none. A hold is accepted alone.

Examples:
  tenantwatch accept
  tenantwatch accept --format json
  tenantwatch accept 3f2a9c01b7de --list
  tenantwatch accept 3f2a9c01b7de --list --details --limit 500
  tenantwatch accept 3f2a9c01b7de --count 120 --reason "Left with the spin-off, ticket 4711"
  tenantwatch accept e49418ad0f73-5f2c90ab --reason "Agreed with the board on 3 May"
  tenantwatch accept e49418ad0f73-5f2c90ab 07aa5be1c2d4-91d0c6ef --reason "The roles of the new tenant"`,
    )
    .action(async (ids: readonly string[], options: AcceptOptions, command: Command) =>
      done(await accept(io, ids, options, command)),
    )
}

/** @throws UsageError on options that cannot be combined. */
function insistOnPurpose([id, ...others]: readonly string[], options: AcceptOptions, list: string): void {
  const given = (names: readonly (keyof AcceptOptions)[]) => names.find((name) => options[name] !== undefined)
  const deciding = given(['reason', 'count'])
  const listing = given(id === undefined ? ['details', 'limit'] : ['details', 'limit', 'format'])
  if (id === undefined && deciding !== undefined)
    throw new UsageError(`--${deciding} needs the id of a hold or of a drifted state; "${list}" lists them`)
  if (id === undefined && options.list === true)
    throw new UsageError(`--list needs the id of a hold; "${list}" prints the holds`)
  if (options.list !== true && listing !== undefined)
    throw new UsageError(`--${listing} is for the list of records: give it with the id of a hold and --list`)
  if (options.list === true && deciding !== undefined)
    throw new UsageError(`--list decides nothing, and --${deciding} is for a decision: leave one of them out`)
  const ofHold = given(['list', 'count'])
  if (others.length > 0 && ofHold !== undefined)
    throw new UsageError(`--${ofHold} is for one hold: give one id with it`)
}

async function accept(io: Io, ids: readonly string[], options: AcceptOptions, command: Command): Promise<ExitCode> {
  const next = (words: string) => commandFor(command, words)
  insistOnPurpose(ids, options, next('accept'))
  const { settings } = loadConfiguration(io, command)
  await using mirror = await openVerifiedMirror(settings, io)
  const holds = await mirror.holds()
  const views = createViews(mirror, settings, io.clock)
  const acceptances = await readAcceptedHolds(mirror)
  const [id, ...others] = ids
  if (id === undefined) {
    const drift = await openDrift({ mirror, views })
    if (listFormatOf(options) === 'json') {
      print(io, printableJson(listedJson(await views.posture(), drift)))
      return exitCodes.ok
    }
    listHolds(io, { holds, acceptances, next })
    listDrift(io, drift, next)
    return exitCodes.ok
  }
  const drifts = { io, mirror, views, next, given: ids, reason: options.reason?.trim() ?? '' }
  if (others.length > 0) {
    const one = ids.find((given) => acceptances.has(given) || holds.some((hold) => hold.id === given))
    if (one !== undefined) throw new UsageError(`${one} is a hold, which is accepted alone: give its id only`)
    await acceptDrifts(drifts)
    return exitCodes.ok
  }
  const hold = holds.find((one) => one.id === id)
  const earlier = acceptances.get(id)
  if (hold === undefined) {
    if (earlier !== undefined) throw new UsageError(endedSentence(earlier, next))
    if (options.list === true) throw new UsageError(noListOf(id, next))
    if (options.count !== undefined)
      throw new UsageError(
        'No hold has this id; give it whole. --count is for holds: leave it out to accept a drifted state',
      )
    await acceptDrifts(drifts)
    return exitCodes.ok
  }
  if (options.list === true) {
    await listHeldRecords(io, mirror, hold, { ...options, next })
    return exitCodes.ok
  }
  if (earlier !== undefined) throw new UsageError(heldSentence(earlier))
  await decide(io, mirror, hold, options)
  printWrapped(io, whenApplied(hold, settings, next))
  return exitCodes.ok
}

function listedJson(postures: readonly TenantPosture[], drift: readonly ListedDrift[]): object {
  return {
    holds: postures.flatMap(({ tenant, holds }) => holds.map((hold) => ({ tenant, ...holdJson(hold) }))),
    drift: drift.map(({ driftId, finding: { tenant, check, entity, severity, message }, isAccepted }) => {
      return { id: driftId, tenant, check, entity, severity, message, accepted: isAccepted }
    }),
  }
}

function noListOf(id: string, next: Next): string {
  if (driftIdPattern.exec(id)?.[2] !== undefined)
    return `This is the id of a drifted state, which has no list of records; "${next(`explain ${id}`)}" shows the state`
  return `No hold has this id; "${next('accept')}" prints the holds`
}

function heldSentence(hold: AcceptedHold): string {
  const next =
    hold.appliedAt === null
      ? 'the next run applies it'
      : 'a run has applied it, and the hold ends when that has taken effect'
  return acceptedSentence(`Hold ${hold.id}`, hold, next)
}

function endedSentence({ id, tenant, resource, count, at, appliedAt }: AcceptedHold, next: Next): string {
  const removed = resource === 'all' ? '' : ` --resource ${resource}`
  const applied =
    appliedAt === null ? 'and ended before a run applied it' : `and applied by a run at ${toIso(appliedAt)}`
  const history = next(`history --tenant ${tenant}${removed} --since ${dayOf(at)}`)
  return `Hold ${id} has ended: it covered ${count} and was accepted at ${toIso(at)} ${applied}; "${history}" shows what was removed since`
}

/** @throws UsageError when the hold cannot be accepted, or not with these options. */
function insistOnConsent(hold: HoldRow, { count }: AcceptOptions, reason: string): void {
  const { id } = hold
  const remedy = remedyOf(hold)
  if (remedy !== null)
    throw new UsageError(`Hold ${id} cannot be accepted, because the next run would raise it again. ${remedy}`)
  if (count === undefined && hold.reason === 'tenant_changed')
    throw new UsageError(
      `Confirm with --count ${hold.count} that you mean this. ${effectOf(hold)}. ${holdAdvice(hold)}`,
    )
  insistOnReason(reason)
  if (count !== undefined && count !== hold.count)
    throw new UsageError(
      `Hold ${id} now covers ${plural(hold.count, 'record')}, not ${count}; review it before accepting`,
    )
}

async function decide(io: Io, mirror: Mirror, hold: HoldRow, options: AcceptOptions): Promise<void> {
  const reason = options.reason?.trim() ?? ''
  insistOnConsent(hold, options, reason)
  await mirror.decide({ holdId: hold.id, reason, at: io.clock.now() })
  const { id, tenant, resource, count } = hold
  const where = `${tenant}, ${resource === 'all' ? 'the whole tenant' : resource}`
  printWrapped(io, `Accepted hold ${id}: ${where}, ${hold.reason}, ${plural(count, 'record')}.`)
  if (replacesTenant(hold)) printWrapped(io, `${effectOf(hold)}.`)
}

/** States when the acceptance takes effect while a daemon runs. */
function whenApplied(hold: HoldRow, { tenants, evaluate }: Settings, next: Next): string {
  const { tenant, resource } = hold
  const resources = tenants.find(({ name }) => name === tenant)?.resources ?? {}
  const isRead = Object.entries<ResourceSettings>(resources).some(
    ([name, { enabled }]) => enabled && (resource === 'all' || resource === name),
  )
  if (!isRead) return 'It takes effect when the configuration lets tenantwatch read that again.'
  const runs = resource === 'all' ? 'the full syncs of all resources' : `a full sync of ${resource}`
  const unknown = replacesTenant(hold) ? ' Until they have ended, checks are unknown.' : ''
  return `A running daemon begins ${runs} within ${describeDuration(evaluate.intervalMs)}; without one, run "${next(`sync --tenant ${tenant}`)}".${unknown}`
}
