import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { entityTypeOf } from '../../model/entity-names.ts'
import { severities } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { Dialect } from '../db/db.ts'
import {
  type FindingFacts,
  type FindingKind,
  findingKinds,
  listOfKinds,
  recordKinds,
  recordSubject,
  recordSubjects,
} from '../event-store.ts'
import { personalReader } from '../findings/entity-names.ts'
import type { RecordReader } from '../records/query.ts'
import { type RecordShape, recordShapes } from '../records/record-shape.ts'
import { fromJson, oneOf } from '../words.ts'
import { asOf } from './as-of.ts'
import { clockPeriods } from './clock.ts'
import { decisionReader, waiverChangeReader } from './decision-log.ts'
import type {
  ChangeFilter,
  EvidenceStore,
  FindingEventRow,
  FindingTransition,
  TenantChangeRow,
} from './evidence-port.ts'
import { pastReader } from './past-reader.ts'
import { changesIn, ofRecords, recordEventColumns, type StoredRecordEvent } from './record-changes.ts'

const batchSize = 500

interface StoredFindingEvent {
  readonly fingerprint: string
  readonly at: number
  readonly kind: FindingKind
  readonly data: string
}

interface StoredChange extends StoredRecordEvent {
  readonly tenant: string
}

/** Bounds the search for the last changes among other events. */
const mostLookedAt = 50_000

const changeColumns = `${recordEventColumns('c')}, t.name as tenant`

export function historyStore(
  database: Database,
  readers: (tenantId: number) => RecordReader,
): Pick<
  EvidenceStore,
  | 'findingEvents'
  | 'findingTransitions'
  | 'fingerprintsFrom'
  | 'record'
  | 'changes'
  | 'hasEntity'
  | 'latestChanges'
  | 'decisions'
  | 'waiverChanges'
  | 'past'
> {
  const decisions = decisionReader(database)
  const waiverChanges = waiverChangeReader(database)
  const periods = clockPeriods(database)
  const addPersonal = personalReader(database)
  const events = database.prepare<[string], StoredFindingEvent>(
    `select e.subject as fingerprint, e.at, e.kind, e.data from findings f join events e
       on e.tenant_id = f.tenant_id and e.kind in (${listOfKinds(findingKinds)}) and e.subject = f.fingerprint
     where f.fingerprint = ? and e.data is not null order by +e.id`,
  )
  const transitions = database.prepare<[number, number, string, number], StoredFindingEvent>(
    `select e.subject as fingerprint, e.at, e.kind, e.data from events e join findings f on f.fingerprint = e.subject
     where e.at = ? and f.tenant_id = ? and f."check" = ? and e.kind in ('finding.opened', 'finding.resolved', 'finding.reopened')
       and e.tenant_id = f.tenant_id and e.data is not null order by e.id limit ?`,
  )
  const beginning = database.prepareValues<[string, string, number], string>(
    'select fingerprint from findings where fingerprint >= ? and fingerprint < ? order by fingerprint limit ?',
  )
  const latest = database.prepare<[number, number], StoredChange>(
    `select ${changeColumns} from events c join tenants t on t.id = c.tenant_id
     where c.id > (select max(id) from events) - ${mostLookedAt} and c.tenant_id = ? and ${ofRecords} order by c.id desc limit ?`,
  )
  const entity = `select 1 from tenants t where (cast(@tenantId as bigint) is null or t.id = @tenantId) and (
      exists (select 1 from records where tenant_id = t.id and resource = @resource and key = @key)
      or exists (select 1 from events where tenant_id = t.id and kind in (${listOfKinds(recordKinds)}) and subject = @subject))`

  async function* read(filter: ChangeFilter) {
    const { text, values } = conditionsOf(filter, database.sql)
    const select = database.prepare<unknown[], StoredChange>(
      `select ${changeColumns} from events c join tenants t on t.id = c.tenant_id
       where c.id > ? and ${ofRecords} ${text} order by c.id limit ${batchSize}`,
    )
    for (let after = 0; ; ) {
      const rows = await database.read((tx) => select.all(tx, after, ...values))
      if (rows.length === 0) return
      const { field } = filter
      yield rows.flatMap(toChanges).filter((change) => field === undefined || change.field === field)
      after = rows.at(-1)?.id ?? after
      await yieldToEventLoop()
    }
  }

  return {
    findingEvents: (fingerprint) =>
      database.read(async (tx) => {
        return (await events.all(tx, fingerprint)).map(toFindingEvent)
      }),
    findingTransitions: ({ tenantId, check, at }, most) =>
      database.read(async (tx) => {
        return (await transitions.all(tx, at, tenantId, check, most)).map((row) => {
          const { kind, severity, resolution } = toFindingEvent(row)
          return { fingerprint: row.fingerprint, kind: kind as FindingTransition['kind'], severity, resolution }
        })
      }),
    fingerprintsFrom: (prefix, most) => database.read((tx) => beginning.all(tx, prefix, `${prefix}\u{10ffff}`, most)),
    latestChanges: (tenantId, most, withPersonal) =>
      database.read(async (tx) => {
        const events = await latest.all(tx, tenantId, most)
        const changes = events.flatMap((event) => toChanges(event).toReversed()).slice(0, most)
        if (!withPersonal) return changes
        return await addPersonal(
          tx,
          changes.map((change) => ({
            ...change,
            tenantId,
            entityType: entityTypeOf(change.resource),
            entityId: change.key,
          })),
        )
      }),
    record: async (tenantId, resource, key) => {
      const [record] = await readers(tenantId).byKeys(resource, [key])
      return record ?? null
    },
    hasEntity: ({ tenantId = null, resources, key }) =>
      database.read(async (tx) => {
        for (const { resource, keyOf } of tablesOf(resources)) {
          const of = { tenantId, resource, key: keyOf(key), subject: recordSubject(resource, keyOf(key)) }
          if ((await tx(entity, [of])).length > 0) return true
        }
        return false
      }),
    changes: (filter) => read(filter),
    decisions: (tenantId) => decisions(tenantId),
    waiverChanges: (tenantId) => waiverChanges(tenantId),
    past: async (at, present) => {
      return pastReader(database, { at, present, asOf: asOf(await database.read(periods), at, present) })
    },
  }
}

const soleResources: ReadonlySet<string> = new Set(
  Object.values(recordShapes).flatMap(({ resource, idField }) => (idField === null ? [resource] : [])),
)

/** A singleton matches every id, so its resource must be named. */
function tablesOf(resources: ChangeFilter['resources']): readonly RecordShape[] {
  return Object.values(recordShapes).filter(
    ({ resource, idField }) => resources?.includes(resource) ?? idField !== null,
  )
}

function conditionsOf({ tenantId, resources, key, since, until }: ChangeFilter, sql: Dialect) {
  const parts: string[] = []
  const values: unknown[] = []
  const add = (part: string, ...bound: readonly unknown[]) => {
    parts.push(`and ${part}`)
    values.push(...bound)
  }
  if (tenantId !== undefined) add('c.tenant_id = ?', tenantId)
  if (key !== undefined) {
    const subjects = tablesOf(resources).flatMap(({ resource, keyOf }) =>
      [key, keyOf(key)].map((id) => recordSubject(resource, id)),
    )
    add(sql.isIn('c.subject'), sql.listOf(subjects))
  } else if (resources !== undefined) {
    const ranges = resources.map(() => 'c.subject between ? and ?')
    add(ranges.length === 0 ? '1 = 0' : `(${ranges.join(' or ')})`, ...resources.flatMap(recordSubjects))
  }
  if (since !== undefined) add('c.at >= ?', since)
  if (until !== undefined) add('c.at <= ?', until)
  return { text: parts.join(' '), values }
}

/** A singleton's key is the name of its resource, as in findings. */
function toChanges({ tenant, ...event }: StoredChange): readonly TenantChangeRow[] {
  return changesIn(event).map((change) => {
    return { ...change, tenant, key: soleResources.has(change.resource) ? change.resource : change.key }
  })
}

function toFindingEvent({ at, kind, data }: StoredFindingEvent): FindingEventRow {
  const { severity, message, evidence, resolution = null } = fromJson(data) as FindingFacts
  return {
    at,
    kind: kind.slice('finding.'.length) as FindingEventRow['kind'],
    severity: oneOf(severities, severity),
    message,
    evidence: evidence as FindingEventRow['evidence'],
    resolution,
  }
}
