import { Option } from 'commander'
import { checks as builtIn, checksOf } from '../checks/index.ts'
import type { Check } from '../evaluate/check.ts'
import { type OperatorDecision, readDecisions } from '../evaluate/decisions.ts'
import { isPublicId } from '../evaluate/findings/open-findings.ts'
import { dataNotes } from '../model/describe.ts'
import { entityWords } from '../model/entity-names.ts'
import { UsageError } from '../model/errors.ts'
import { guidKey } from '../model/guid.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { type Columns, membersOf } from '../model/text/formats.ts'
import { printableJson } from '../model/text/printable.ts'
import { hidden, withoutEmailsIn } from '../model/text/redact.ts'
import { toIso } from '../model/time.ts'
import { type WaiverEvent, waiverEvents } from '../report/life.ts'
import { changedField } from '../report/words.ts'
import type { ChangeFilter, TenantChangeRow } from '../store/port.ts'
import { apiFields, withoutChangeDetails } from '../store/records/record-shape.ts'
import { addList, type Listing } from './list.ts'
import { type OpenMirror, openMirror } from './support/configuration.ts'
import { detailsOption, oneOf, readMoment, readSince, resourceOption, tenantOption } from './support/options.ts'
import { knownSince } from './support/record-bounds.ts'

/** A change of a record, a decision of an operator, or an event of a waiver. */
export interface Change {
  /** ISO 8601. */
  readonly at: string
  readonly tenant: string
  readonly resource: string | null
  readonly entity: string
  readonly change: string
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  readonly requestId: string | null
  readonly reason: string | null
  /** Who accepted it, or agreed to the waiver. */
  readonly by: string | null
}

const columns: Columns<Change> = {
  ...membersOf('at', 'tenant', 'resource', 'entity', 'change', 'field'),
  ...membersOf('before', 'after', 'requestId', 'reason', 'by'),
}

interface HistoryOptions {
  readonly tenant?: string
  readonly entity?: string
  readonly resource?: ResourceName
  readonly since?: string
  readonly until?: string
  readonly details?: boolean
}

export const addHistory = addList<HistoryOptions>({
  name: 'history',
  summary: 'list changes in the mirror, with time and request, and what operators accepted',
  options: [
    tenantOption(),
    new Option('--entity <id>', 'only this entity: an id, or resource and id, such as users:12'),
    resourceOption(),
    new Option('--since <time>', 'only changes since then, such as 2026-03-01, 2026-03-01T06:00:00Z or 30d'),
    new Option('--until <time>', 'only changes until then; a day includes its end'),
    detailsOption(),
  ],
  help: `Works beside a running engine. Oldest first: creations, changes of fields and
removals; holds and drift that were accepted, with the reason; what became of
waivers. --limit keeps the newest. Records of the first complete full sync do not
count as changes. Changes before the history begins are unknown: standard error
names that part of the period, and a period wholly before it is refused.

Examples:
  tenantwatch history --since 30d
  tenantwatch history --entity users:12 --details
  tenantwatch history --resource authentication-settings --format csv`,
  async run({ io, command, options, present }) {
    await using opened = await openMirror(io, command)
    return await present(await listChanges(opened, options))
  },
})

/** @throws UsageError on names and times that do not exist, and without any history of the period. */
export async function listChanges(opened: OpenMirror, options: HistoryOptions): Promise<Listing<Change>> {
  const details = options.details === true
  const { key, resource, field } = entityOf(options)
  const { settings, mirror, views, now } = opened
  const since = readSince(options.since, now)
  const until = options.until === undefined ? undefined : readMoment('--until', options.until, { now, day: 'end' })
  if (since !== undefined && until !== undefined && since > until) throw new UsageError('--since is after --until')
  const rows = await mirror.tenants()
  const names = rows.map(({ name }) => name)
  const tenant = oneOf('tenant', names, options.tenant)
  const shown = rows.filter(({ name }) => tenant === undefined || name === tenant)
  const tenantId = tenant === undefined ? undefined : shown[0]?.id
  const filter = { tenantId, resources: resource && [resource], key, field, since, until }
  if (key !== undefined && !(await mirror.hasEntity({ ...filter, key })))
    throw new UsageError('Unknown entity: the mirror never had this id; expected one such as 12 or users:12')
  const bounds = await mirror.recordBounds(shown.map(({ id }) => id))
  const known = bounds.begins === null && until === undefined ? null : knownSince(bounds, now)
  // An empty answer would look like "nothing changed".
  if (known !== null && until !== undefined && until < known.at) throw new UsageError(known.why)
  const isPartial = known !== null && since !== undefined && since < known.at
  const notes = isPartial ? [`${known.why}; changes before that time are unknown`] : []
  notes.push(...dataNotes(await views.posture(tenant), resource && [resource]))
  const checks = checksOf(settings)
  const waivers = (await waiverEvents(mirror, tenantId)).map((one) => waiverRow(one, checks, details))
  const accepted = [...(await readDecisions(mirror, tenantId)).map((one) => decisionRow(one, details)), ...waivers]
    .filter((row) => isWanted(row, filter))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return {
    rows: merged(recordChanges(mirror.changes(filter), details), accepted),
    columns,
    table: {
      AT: ({ at }) => at,
      TENANT: ({ tenant }) => tenant,
      ENTITY: ({ resource, entity }) => entityWords({ type: String(resource), id: entity }).join(' '),
      REQUEST: ({ requestId }) => requestId,
      CHANGE: sentence,
    },
    optional: ['TENANT', 'REQUEST'],
    lines: 3,
    keeps: 'last',
    none: 'No change is recorded.',
    notes,
  }
}

interface EntityInQuery {
  readonly key?: string
  readonly resource: ResourceName | undefined
  readonly field?: string
}

/** Parses `users:12`, `user:12` or `12`; a resource must equal the one of `--resource`. */
function entityOf({ entity, resource: wanted }: HistoryOptions): EntityInQuery {
  if (entity === undefined) return { resource: wanted }
  if (/^(.*:)?\s*$/.test(entity)) throw new UsageError('--entity is empty; expected an id, such as 12 or users:12')
  const colon = entity.indexOf(':')
  const named = colon < 0 ? wanted : resourceIn(entity.slice(0, colon).toLowerCase())
  if (wanted !== undefined && wanted !== named) throw new UsageError('--entity and --resource name different resources')
  const id = entity.slice(colon + 1)
  const setting = named === undefined || named === sole ? settingNamed(id) : null
  if (setting === null && named === sole)
    throw new UsageError(`--entity names an unknown setting; expected one of ${apiFields(sole).join(', ')}`)
  return setting ?? { key: id, resource: named }
}

function resourceIn(word: string): ResourceName {
  const named = resourceNames.find((name) => name === word || name === `${word}s`)
  if (named === undefined)
    throw new UsageError(`--entity names an unknown resource; expected one of ${resourceNames.join(', ')}`)
  return named
}

const sole = 'authentication-settings'

/** The entity of a finding is the settings object of the tenant or one of its fields. */
function settingNamed(id: string): EntityInQuery | null {
  if (id === sole) return { key: id, resource: sole }
  return apiFields(sole).includes(id) ? { key: id, resource: sole, field: id } : null
}

async function* recordChanges(
  changes: AsyncIterable<readonly TenantChangeRow[]>,
  details: boolean,
): AsyncIterable<Change> {
  for await (const batch of changes)
    for (const row of details ? batch : batch.map(withoutChangeDetails)) {
      const { at, tenant, resource, key: entity, kind: change, field, before, after, requestId } = row
      const facts = { at: toIso(at), tenant, resource, entity, change, field, before, after, requestId }
      yield { ...facts, reason: null, by: null }
    }
}

function decisionRow(decision: OperatorDecision, details: boolean): Change {
  const { at, tenant, accepted, reason, by } = decision
  const facts = { at: toIso(at), tenant, change: `${accepted}_accepted`, before: null, requestId: null, reason, by }
  if (accepted === 'hold') {
    const { resource, id, holdReason, count } = decision
    return { ...facts, resource, entity: id, field: holdReason, after: count }
  }
  const { check, entityId, state } = decision
  const resource = builtIn.find(({ id }) => id === check)?.evaluates ?? null
  return { ...facts, resource, entity: entityId, field: check, after: details ? state : withoutEmailsIn(state) }
}

/** The entity of a waiver may be a file name, or a value that an own check returns. */
function waiverRow(event: WaiverEvent, known: readonly Check[], details: boolean): Change {
  const { at, tenant, kind, waiver, check, entity, terms } = event
  const found = known.find(({ id }) => id === check)
  const id = guidKey(entity)
  const isPlain = details || entity === '*' || (found !== undefined && isPublicId(found, id))
  return {
    ...{ at: toIso(at), tenant, change: `waiver_${kind}`, before: null, requestId: null },
    resource: found?.evaluates ?? null,
    entity: isPlain ? id : hidden,
    field: check,
    after: waiver,
    reason: terms?.reason ?? null,
    by: terms?.owner ?? null,
  }
}

/** A hold concerns a whole list, so `--entity` excludes holds. */
function isWanted({ at, resource, entity }: Change, { key, resources, since, until }: ChangeFilter): boolean {
  const time = Date.parse(at)
  if ((since !== undefined && time < since) || (until !== undefined && time > until)) return false
  return (
    (resources === undefined || resource === 'all' || resources.some((one) => one === resource)) &&
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

function sentence({ change, field, before, after, reason, by }: Change): string {
  if (reason !== null || change.startsWith('waiver_'))
    return `${change} (${field}: ${printableJson(after)})${reason === null ? '' : `: ${reason}`}${by === null ? '' : ` (${by})`}`
  return field === null ? change : changedField(field, before, after)
}
