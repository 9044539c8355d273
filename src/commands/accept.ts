import { isDeepStrictEqual } from 'node:util'
import { Option } from 'commander'
import { checks } from '../checks/index.ts'
import { acceptStates, readAcceptedStates } from '../evaluate/decisions.ts'
import { describeFinding, describeHold, sentencesOf } from '../model/describe.ts'
import { type EntityNames, namesOf } from '../model/entity-names.ts'
import { UsageError } from '../model/errors.ts'
import { driftIdIn, type FindingView } from '../model/finding.ts'
import { effectOf, holdAdvice, remedyOf, replacesTenant } from '../model/holds.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { severities } from '../model/severity.ts'
import { membersOf } from '../model/text/formats.ts'
import { printable, printableJson } from '../model/text/printable.ts'
import { grouped, plural } from '../model/text/words.ts'
import { describeDuration } from '../model/time.ts'
import { printWrapped } from '../report/terminal.ts'
import type { HoldRow, Mirror } from '../store/port.ts'
import { addList, type Listing, type ListRun } from './list.ts'
import { type OpenMirror, openMirror } from './support/configuration.ts'
import { detailsOption, leastReason, readBy, readReason, wholeNumber } from './support/options.ts'

interface AcceptOptions {
  readonly count?: number
  readonly reason?: string
  readonly by?: string
  readonly list?: boolean
  readonly details?: boolean
}

export const addAccept = addList<AcceptOptions>({
  name: 'accept',
  argument: ['[ids...]', 'id of a hold, or of one or more drifted states; without one both are listed'],
  summary: 'list or accept holds and drift',
  options: [
    new Option(
      '--count <n>',
      'number of records that you reviewed; refused if the hold now covers another number; needed for tenant_changed',
    ).argParser(wholeNumber),
    new Option('--reason <text>', `why it is accepted, in ${leastReason} characters or more; kept for auditors`),
    new Option('--by <who>', 'who accepts it; default the user of this system'),
    new Option('--list', 'list the records that accepting this hold removes; decides nothing').conflicts([
      'count',
      'reason',
      'by',
    ]),
    detailsOption(),
  ],
  help: `A running daemon applies a decision within an evaluation interval (1 min); without
one, the next sync does. Accepting a tenant_changed needs --count: it may replace
the data of the tenant with those of another one.

Drift (auth-settings-unchanged, role-permissions-unchanged) is accepted by the id
of its state: the fingerprint of its finding with a digest of that state. Of
several ids, all are accepted or none. A hold is accepted alone.

Examples:
  tenantwatch accept
  tenantwatch accept 3f2a9c01b7de --list --details
  tenantwatch accept 3f2a9c01b7de --count 120 --reason "Left with the spin-off"
  tenantwatch accept e49418ad0f73-5f2c90ab --reason "Agreed with the board"`,
  async run(run) {
    const { io, command, options, args, present } = run
    const [id, ...others] = args
    if (id === undefined && (options.reason ?? options.by ?? options.count ?? options.list) !== undefined)
      throw new UsageError('Name the hold or drifted state by its id; "tenantwatch accept" lists them')
    await using opened = await openMirror(io, command)
    const { mirror } = opened
    if (id === undefined) return await present(await decidable(opened))
    const hold = (await mirror.holds()).find((one) => args.includes(one.id))
    if (hold === undefined) {
      if (options.list === true || options.count !== undefined)
        throw new UsageError('No hold has this id; "tenantwatch accept" lists the holds')
      return await acceptDrifts(io, opened, args, options)
    }
    if (others.length > 0) throw new UsageError('A hold is accepted alone: give its id only')
    if (options.list === true) return await listHeldRecords(run, mirror, hold)
    if (hold.acceptedReason !== null) throw new UsageError(`Hold ${id} is accepted already; the next run applies that`)
    return await acceptHold(io, opened, hold, options)
  },
})

/** A hold or a drifted state that waits for a decision. */
interface Decidable {
  readonly id: string
  readonly kind: 'hold' | 'drift'
  readonly tenant: string
  /** Resource of a hold (or `all`), check of drift. */
  readonly subject: string
  /** Reason of a hold, severity of drift. */
  readonly reason: string
  /** Number of held records. */
  readonly count: number | null
  /** An operator accepted it; the next run or evaluation applies that. */
  readonly accepted: boolean
  readonly text: string
  readonly next: string | null
}

interface Drift extends Decidable {
  readonly tenantId: number
  readonly finding: FindingView
}

async function decidable(opened: OpenMirror): Promise<Listing<Decidable>> {
  const holds = (await opened.views.posture()).flatMap(({ tenant, holds: held }) =>
    held.map((hold): Decidable => {
      const { id, resource: subject, reason, count, message: text, acceptedReason } = hold
      const { next } = describeHold(hold)
      return { id, kind: 'hold', tenant, subject, reason, count, accepted: acceptedReason !== undefined, text, next }
    }),
  )
  return {
    rows: [...holds, ...(await openDrift(opened))],
    columns: membersOf('id', 'kind', 'tenant', 'subject', 'reason', 'count', 'accepted', 'text', 'next'),
    table: {
      ...{ ID: 'id', TENANT: 'tenant', ABOUT: 'subject', REASON: 'reason', COUNT: 'count' },
      STATE: ({ accepted }) => (accepted ? 'accepted' : ''),
      'WHAT AND WHAT TO DO': sentencesOf,
    },
    optional: ['TENANT', 'COUNT', 'REASON', 'ABOUT'],
    lines: 20,
    none: 'No holds, and no drift that can be accepted',
  }
}

type HeldRecord = EntityNames & { readonly id: string }

async function listHeldRecords({ options, present }: ListRun<AcceptOptions>, mirror: Mirror, hold: HoldRow) {
  const { id, tenant, tenantId, resource, reason } = hold
  const held = await mirror.heldRecords(id)
  if (held === null)
    throw new UsageError(
      `Hold ${id} names no records: ${reason === 'tenant_changed' ? 'those that were read are not stored; "tenantwatch doctor" shows what token and baseUrl read now' : `${reason} is about a list as a whole`}`,
    )
  const isNamed = options.details === true && resource !== 'all'
  const names = isNamed ? await mirror.personal(tenantId, resource, held.ids) : new Map<string, never>()
  return await present<HeldRecord>({
    rows: held.ids.map((key) => ({ id: key, ...namesOf(names.get(key) ?? {}) })),
    columns: {
      id: (one) => one.id,
      ...(isNamed && { name: ({ name }) => name, email: ({ email }) => email, filename: ({ filename }) => filename }),
    },
    table: { ID: 'id', NAME: 'name', EMAIL: 'email', FILE: 'filename' },
    none: 'The hold names no record',
    notes: [`Accepting hold ${id} removes these ${held.resource} of ${tenant}, ${grouped(held.ids.length)} in all`],
  })
}

async function acceptHold(
  io: Io,
  { mirror, settings }: OpenMirror,
  hold: HoldRow,
  { count: reviewed, reason: given, by }: AcceptOptions,
): Promise<ExitCode> {
  const { id, tenant, resource, count } = hold
  const remedy = remedyOf(hold)
  if (remedy !== null)
    throw new UsageError(`Hold ${id} cannot be accepted, because the next run would raise it again. ${remedy}`)
  if (reviewed === undefined && hold.reason === 'tenant_changed')
    throw new UsageError(`Confirm with --count ${count} that you mean this. ${effectOf(hold)}. ${holdAdvice(hold)}`)
  const reason = readReason(given)
  if (reviewed !== undefined && reviewed !== count)
    throw new UsageError(
      `Hold ${id} now covers ${plural(count, 'record')}, not ${reviewed}; review it before accepting`,
    )
  await mirror.decide({ holdId: id, reason, by: readBy(by), at: io.clock.now() })
  const where = `${tenant}, ${resource === 'all' ? 'the whole tenant' : resource}`
  printWrapped(io, `Accepted hold ${id}: ${where}, ${hold.reason}, ${plural(count, 'record')}.`)
  if (replacesTenant(hold)) printWrapped(io, `${effectOf(hold)}. Until the full syncs have ended, checks are unknown.`)
  const within = describeDuration(settings.evaluate.intervalMs)
  printWrapped(
    io,
    `A running daemon applies it within ${within}; without one, run "tenantwatch sync --tenant ${tenant}".`,
  )
  return exitCodes.ok
}

const drifting = checks.filter((check) => 'drift' in check).map(({ id }) => id)

/** Drift that can be accepted, the highest severity first. */
async function openDrift(
  { mirror, views }: OpenMirror,
  states: readonly FindingView['state'][] = ['open'],
): Promise<readonly Drift[]> {
  const tenants = new Map((await mirror.tenants()).map(({ name, id }) => [name, id]))
  const drifts: Drift[] = []
  for (const check of drifting) {
    for await (const finding of views.findings({ check, states })) {
      const { tenant, severity: reason, entity } = finding
      const [id, tenantId] = [driftIdIn(finding), tenants.get(tenant)]
      if (id === null || tenantId === undefined) continue
      const last = (await readAcceptedStates(mirror, tenantId, check))?.byEntity.get(entity.id)
      const accepted = last?.reason != null && isDeepStrictEqual(last.state, presentIn(finding))
      const { text, ...described } = describeFinding(finding)
      const next = accepted ? 'The next evaluation applies that' : described.next
      const row = { id, kind: 'drift', tenant, subject: check, reason, count: null, accepted, text, next } as const
      drifts.push({ ...row, tenantId, finding })
    }
  }
  const rank = ({ finding }: Drift) => severities.indexOf(finding.severity)
  return drifts.toSorted((a, b) => rank(b) - rank(a))
}

function presentIn({ evidence }: FindingView): unknown {
  return evidence['present'] ?? null
}

/**
 * Accepts exactly the states that the drift ids name: all of them, or none.
 *
 * @throws UsageError when an id names no drift that can be accepted, or not the present state.
 */
async function acceptDrifts(
  io: Io,
  opened: OpenMirror,
  ids: readonly string[],
  options: AcceptOptions,
): Promise<ExitCode> {
  const known = await openDrift(opened, ['open', 'waived'])
  const chosen: Drift[] = []
  for (const id of new Set(ids.map((one) => one.toLowerCase()))) {
    const drift = known.find((one) => one.id === id)
    if (drift === undefined) throw new UsageError(refusalOf(id, known))
    if (drift.accepted) throw new UsageError(`Drift ${id} is accepted already; the next evaluation applies that`)
    chosen.push(drift)
  }
  const reason = readReason(options.reason)
  const by = readBy(options.by)
  const at = io.clock.now()
  await acceptStates(
    opened.mirror,
    chosen.map(({ tenantId, finding }) => {
      const { check, entity } = finding
      return { tenantId, check, entityId: entity.id, state: presentIn(finding), at, reason, by }
    }),
  )
  for (const { finding } of chosen) {
    const { check, tenant, entity } = finding
    const what = printable(`${check} of ${tenant} ${entity.id}: ${printableJson(presentIn(finding))}`)
    printWrapped(
      io,
      `Accepted: ${what}. The finding is resolved once its check is evaluated over complete, fresh data.`,
    )
  }
  return exitCodes.ok
}

/** Why an id cannot be accepted. Does not repeat an id that is none, because it may be a secret. */
function refusalOf(id: string, known: readonly Drift[]): string {
  const [prefix = ''] = id.split('-')
  const same = /^[\da-f]{6,}$/.test(prefix) && known.find(({ finding }) => finding.fingerprint.startsWith(prefix))
  if (same)
    return `Drift is accepted by the id of its present state, which is ${same.id}; nothing is accepted. Review it: "tenantwatch explain ${prefix}"`
  return 'No hold or drifted state has this id; "tenantwatch accept" lists both. Other findings are waived, and a configured baseline is changed in the configuration'
}
