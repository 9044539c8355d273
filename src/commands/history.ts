import type { Command } from 'commander'
import { checks, checksOf } from '../checks/index.ts'
import { createViews } from '../daemon/views.ts'
import { type OperatorDecision, readDecisions } from '../evaluate/decisions.ts'
import { toIso } from '../model/dates.ts'
import { entityWords } from '../model/entity-names.ts'
import { UsageError } from '../model/errors.ts'
import { guidKey } from '../model/guid.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'
import { printableJson } from '../model/text/printable-json.ts'
import { hidden, hiddenValue } from '../model/text/redact-finding.ts'
import { dataWarnings } from '../report/data-warnings.ts'
import { serialize } from '../report/formats.ts'
import { type Terminal, terminalOf, wrapLine } from '../report/terminal.ts'
import { waiverEvents } from '../report/waiver-events.ts'
import { changedField } from '../report/words.ts'
import type { TenantChangeRow } from '../store/port.ts'
import { apiFields, personalFields } from '../store/records/record-shape.ts'
import { loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { foldRemovals, leftOutInWords } from './support/fold-removals.ts'
import { note, writeAll } from './support/io.ts'
import { oneOf, positiveNumber, readMoment } from './support/options.ts'
import { unknownPart } from './support/record-bounds.ts'
import { isOfWaiver, mayNamePerson, waiverRow } from './support/waiver-rows.ts'

const formats = ['table', 'json', 'ndjson', 'csv'] as const
const columns = [
  'at',
  'tenant',
  'resource',
  'entity',
  'change',
  'field',
  'before',
  'after',
  'requestId',
  'reason',
] as const

interface HistoryOptions {
  readonly tenant?: string
  readonly entity?: string
  readonly resource?: string
  readonly since?: string
  readonly until?: string
  readonly format: string
  readonly limit?: number
  readonly details?: boolean
}

type Change = Readonly<Record<Exclude<(typeof columns)[number], 'at'>, unknown>> & { readonly at: string }

export function addHistory(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('history')
    .description('list changes in the mirror, with time and request, and what operators accepted')
    .option('--tenant <name>', 'only this tenant')
    .option('--entity <id>', 'only this entity: an id, or resource and id, such as users:12')
    .option('--resource <name>', `only this resource: ${resourceNames.join(', ')}`)
    .option('--since <time>', 'only changes since then, such as 2026-03-01, 2026-03-01T06:00:00Z or 30d')
    .option('--until <time>', 'only changes until then; a day includes its end')
    .option('--format <format>', formats.join(', '), 'table')
    .option('--limit <n>', 'at most this many, the newest ones', positiveNumber)
    .option('--details', 'include names of persons, e-mails and file names')
    .addHelpText(
      'after',
      `
Works beside a running engine. Oldest first: creations, field changes and removals; holds and drift that were accepted,
with the reason (change hold_accepted or drift_accepted); waivers that were agreed, renewed, lapsed, ended by their date,
were removed from the configuration or restored in it (waiver_agreed ..., with the id of the waiver as after, and its
reason). Records of the first complete full sync do not count as changes.

Changes before the history begins are unknown: standard error names that part of the period, and a period wholly outside
of the history is refused.

Examples:
  tenantwatch history --since 30d
  tenantwatch history --entity users:12 --details
  tenantwatch history --resource authentication-settings --format csv > settings.csv`,
    )
    .action(async (options: HistoryOptions, command: Command) => done(await history(io, options, command)))
}

async function history(io: Io, options: HistoryOptions, command: Command): Promise<ExitCode> {
  const format = oneOf('format', formats, options.format)
  const { settings } = loadConfiguration(io, command)
  const now = io.clock.now()
  const since = options.since === undefined ? undefined : readMoment('--since', options.since, { now, day: 'start' })
  const until = options.until === undefined ? undefined : readMoment('--until', options.until, { now, day: 'end' })
  if (since !== undefined && until !== undefined && since > until) throw new UsageError('--since is after --until')
  if (since !== undefined && since > now) throw new UsageError('The time of --since is in the future')
  const { key, resource, field } = entityOf(options)
  await using mirror = await openVerifiedMirror(settings, io)
  const rows = await mirror.tenants()
  const names = rows.map(({ name }) => name)
  const tenant = oneOf('tenant', names, options.tenant)
  const tenantId = rows.find(({ name }) => name === tenant)?.id
  const where = {
    ...(tenantId !== undefined && { tenantId }),
    ...(resource !== undefined && { resources: [resource] }),
  }
  if (key !== undefined && !(await mirror.hasEntity({ ...where, key })))
    throw new UsageError('Unknown entity: the mirror never had this id; expected one such as 12 or users:12')
  const unknown = unknownPart(await mirror.recordBounds(), { since, until, now })
  const filter = {
    ...where,
    ...(key !== undefined && { key }),
    ...(field !== undefined && { field }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
  const known = checksOf(settings)
  const details = options.details === true
  const waivers = await waiverEvents(mirror, tenantId, now)
  const decisions = (await readDecisions(mirror, tenantId)).map(decisionRow)
  const accepted = [...decisions, ...waivers.map((one) => waiverRow(one, known))]
    .filter((row) => isWanted(row, { key, resource, since, until }))
    .map((row) => (details || !mayNamePerson(row, known) ? row : { ...row, entity: hidden }))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const seen = { total: 0 }
  const all = counted(merged(shown(mirror.changes(filter), details), accepted), seen)
  const found = options.limit === undefined ? all : newest(all, options.limit)
  const cells = (change: Change) => columns.map((column) => change[column])
  await writeAll(
    io,
    format === 'table'
      ? lines(found, { seen, terminal: terminalOf(io), isLimited: options.limit !== undefined })
      : serialize(format, found, { columns, cells }),
  )
  if (unknown !== null) note(io, `${unknown}; changes before that time are unknown`)
  // Warn about data quality: records that were not read may have changed.
  for (const posture of await createViews(mirror, settings, io.clock).posture(tenant))
    for (const line of dataWarnings(posture, ...(resource === undefined ? resourceNames : [resource]))) note(io, line)
  return exitCodes.ok
}

interface EntityInQuery {
  readonly key?: string
  readonly resource?: ResourceName
  readonly field?: string
}

/** Parses `users:12`, `user:12` or `12`; a resource must equal the one of `--resource`. */
function entityOf({ entity, resource: given }: HistoryOptions): EntityInQuery {
  const wanted = oneOf('resource', resourceNames, given)
  const only = wanted === undefined ? {} : { resource: wanted }
  if (entity === undefined) return only
  if (/^(.*:)?\s*$/.test(entity)) throw new UsageError('--entity is empty; expected an id, such as 12 or users:12')
  const colon = entity.indexOf(':')
  const named = colon < 0 ? wanted : resourceIn(entity.slice(0, colon).toLowerCase())
  if (wanted !== undefined && wanted !== named) throw new UsageError('--entity and --resource name different resources')
  const id = entity.slice(colon + 1)
  const setting = named === undefined || named === sole ? settingsOf(id) : null
  if (setting === null && named === sole)
    throw new UsageError(`--entity names an unknown setting; expected one of ${apiFields(sole).join(', ')}`)
  return setting ?? { key: id, ...(named !== undefined && { resource: named }) }
}

function resourceIn(word: string): ResourceName {
  const named = resourceNames.find((name) => name === word || name === `${word}s`)
  if (named === undefined)
    throw new UsageError(`--entity names an unknown resource; expected one of ${resourceNames.join(', ')}`)
  return named
}

const sole = 'authentication-settings'

/** The entity of a finding is the settings object of the tenant or one of its fields. */
function settingsOf(id: string): EntityInQuery | null {
  if (id === sole) return { key: id, resource: sole }
  return apiFields(sole).includes(id) ? { key: id, resource: sole, field: id } : null
}

async function* shown(changes: AsyncIterable<readonly TenantChangeRow[]>, details: boolean): AsyncIterable<Change> {
  for await (const batch of changes) {
    for (const { at, tenant, resource, key, kind, field, before, after, requestId } of batch) {
      const isPersonal = !details && field !== null && personalFields(resource).includes(field)
      const value = (one: unknown) => (isPersonal ? hiddenValue(one) : one)
      const values = { before: value(before), after: value(after) }
      yield { at: toIso(at), tenant, resource, entity: key, change: kind, field, ...values, requestId, reason: null }
    }
  }
}

function decisionRow(decision: OperatorDecision): Change {
  const { at, tenant, accepted, reason } = decision
  const facts = { at: toIso(at), tenant, change: `${accepted}_accepted`, before: null, requestId: null, reason }
  if (accepted === 'hold') {
    const { resource, id, holdReason, count } = decision
    return { ...facts, resource, entity: id, field: holdReason, after: count }
  }
  const { check, entityId, state } = decision
  const resource = checks.find(({ id }) => id === check)?.evaluates ?? null
  return { ...facts, resource, entity: entityId, field: check, after: state }
}

interface Wanted {
  readonly key: string | undefined
  readonly resource: ResourceName | undefined
  readonly since: number | undefined
  readonly until: number | undefined
}

/** A hold concerns a whole list, so `--entity` excludes holds. */
function isWanted({ at, resource: of, entity }: Change, { key, resource, since, until }: Wanted): boolean {
  const time = Date.parse(at)
  if ((since !== undefined && time < since) || (until !== undefined && time > until)) return false
  return (
    (resource === undefined || of === resource || of === 'all') &&
    (key === undefined || guidKey(entity) === guidKey(key))
  )
}

/** Merges two lists that are sorted by time. */
async function* merged(changes: AsyncIterable<Change>, accepted: readonly Change[]): AsyncIterable<Change> {
  let next = 0
  for await (const change of changes) {
    for (let one = accepted[next]; one !== undefined && one.at <= change.at; one = accepted[++next]) yield one
    yield change
  }
  yield* accepted.slice(next)
}

interface Seen {
  total: number
}

async function* counted(changes: AsyncIterable<Change>, seen: Seen): AsyncIterable<Change> {
  for await (const change of changes) {
    seen.total++
    yield change
  }
}

/** The last `most` changes, in the same order; keeps at most twice as many in memory. */
async function* newest(changes: AsyncIterable<Change>, most: number): AsyncIterable<Change> {
  let kept: Change[] = []
  for await (const change of changes) {
    kept.push(change)
    if (kept.length >= 2 * most) kept = kept.slice(-most)
  }
  yield* kept.slice(-most)
}

function inWords({ change, field, before, after, requestId, reason }: Change): string {
  if (reason !== null || isOfWaiver(change))
    return `${change} (${field}: ${printableJson(after)})${reason === null ? '' : `: ${reason}`}`
  const what = field === null ? `${change}` : changedField({ field, before, after })
  return `${what}  (request ${requestId ?? 'unknown'})`
}

function lineOf(change: Change): string {
  const whose = entityWords({ type: String(change.resource), id: String(change.entity) }).join(' ')
  return `${change.at}  ${change.tenant}  ${whose}  ${inWords(change)}`
}

/** One line per change, streamed, so not aligned. On a terminal, many removals are cut and a total follows. */
async function* lines(
  changes: AsyncIterable<Change>,
  { seen, terminal, isLimited }: { seen: Seen; terminal: Terminal | null; isLimited: boolean },
): AsyncIterable<string> {
  let count = 0
  const isWhole = terminal === null || isLimited
  for await (const change of isWhole ? changes : foldRemovals(changes)) {
    count += 'leftOut' in change ? change.leftOut : 1
    const text = 'leftOut' in change ? leftOutInWords(change) : lineOf(change)
    yield `${wrapLine(printable(text), terminal)}\n`
  }
  if (count === 0) yield 'No change is recorded.\n'
  else if (terminal !== null) {
    const all = plural(seen.total, 'change')
    yield `\n${count === seen.total ? all : `the newest ${count} of ${all}; a higher --limit shows more`}\n`
  }
}
