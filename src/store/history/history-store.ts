import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { entityTypeOf } from '../../model/entity-names.ts'
import { memoize } from '../../model/memoize.ts'
import { severities } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { Dialect } from '../db/db.ts'
import { personalReader } from '../findings/entity-names.ts'
import type { RecordReader } from '../records/query.ts'
import { oneOf } from '../records/record-codec.ts'
import { parseChange, type StoredChange } from '../records/record-reader.ts'
import { columnOf, type RecordTable, recordTables } from '../records/record-tables.ts'
import { configurationReader } from './configuration-reader.ts'
import { decisionReader } from './decision-reader.ts'
import type {
  ChangeFilter,
  EvidenceStore,
  FindingEventRow,
  FindingTransition,
  TenantChangeRow,
} from './evidence-port.ts'
import { waiverChangeReader } from './waiver-change-reader.ts'

const batchSize = 500
const kinds = ['opened', 'changed', 'resolved', 'reopened'] as const

interface StoredEvent extends Omit<FindingEventRow, 'kind' | 'severity' | 'evidence'> {
  readonly kind: string
  readonly severity: string
  readonly evidence: string
}

interface EntityOf {
  readonly tenantId: number | null
  readonly resource: string
  readonly key: string | number
  readonly text: string
}

/** Bounds the search for the last changes, because the table has no index by tenant and time. */
const mostLookedAt = 50_000

const changeColumns = `c.id, t.name as tenant, c.resource, c.key, c.at, c.kind, c.field, c.before, c.after,
  c.request_id as "requestId"`

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
  | 'configurations'
> {
  const decisions = decisionReader(database)
  const waiverChanges = waiverChangeReader(database)
  const configurations = configurationReader(database)
  const addPersonal = personalReader(database)
  const events = database.prepare<[string], StoredEvent>(
    `select at, kind, severity, message, evidence, resolution from finding_events where fingerprint = ? order by id`,
  )
  const transitions = database.prepare<[number, number, string, number], FindingTransition>(
    `select e.fingerprint, e.kind, e.severity, e.resolution
     from finding_events e join findings f on f.fingerprint = e.fingerprint
     where e.at = ? and f.tenant_id = ? and f."check" = ? and e.kind <> 'changed' order by e.id limit ?`,
  )
  const beginning = database.prepareValues<[string, string, number], string>(
    'select fingerprint from findings where fingerprint >= ? and fingerprint < ? order by fingerprint limit ?',
  )
  const latest = database.prepare<[number, number], StoredChange<TenantChangeRow>>(
    `select ${changeColumns} from changes c join tenants t on t.id = c.tenant_id
     where c.id > (select max(id) from changes) - ${mostLookedAt} and +c.tenant_id = ? order by c.id desc limit ?`,
  )
  const entity = memoize((record: RecordTable) => {
    const isOfKey = `tenant_id = t.id and ${columnOf(record, record.key)} = @key`
    return database.prepare<[EntityOf]>(
      `select 1 from tenants t where (cast(@tenantId as bigint) is null or t.id = @tenantId) and (
         exists (select 1 from "${getTableName(record.table)}" where ${isOfKey})
         or exists (select 1 from quarantine where tenant_id = t.id and resource = @resource and key = @text)
         or exists (select 1 from changes where tenant_id = t.id and resource = @resource and key = @text))`,
    )
  })

  async function* read(filter: ChangeFilter) {
    const { text, values } = conditionsOf(filter, database.sql)
    const select = database.prepare<unknown[], StoredChange<TenantChangeRow>>(
      `select ${changeColumns} from changes c join tenants t on t.id = c.tenant_id
       where c.id > ? ${text} order by c.id limit ${batchSize}`,
    )
    for (let after = 0; ; ) {
      const rows = await database.read((tx) => select.all(tx, after, ...values))
      if (rows.length === 0) return
      yield rows.map(toChange)
      after = rows.at(-1)?.id ?? after
      await yieldToEventLoop()
    }
  }

  return {
    findingEvents: (fingerprint) =>
      database.read(async (tx) => {
        const rows = await events.all(tx, fingerprint)
        return rows.map((row) => ({
          ...row,
          kind: oneOf(kinds, row.kind),
          severity: oneOf(severities, row.severity),
          evidence: JSON.parse(row.evidence) as Record<string, unknown>,
        }))
      }),
    findingTransitions: ({ tenantId, check, at }, most) =>
      database.read((tx) => transitions.all(tx, at, tenantId, check, most)),
    fingerprintsFrom: (prefix, most) => database.read((tx) => beginning.all(tx, prefix, `${prefix}\u{10ffff}`, most)),
    latestChanges: (tenantId, most, withPersonal) =>
      database.read(async (tx) => {
        const changes = (await latest.all(tx, tenantId, most)).map(toChange)
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
      const [record = null] = await readers(tenantId).byKeys(resource, [key])
      return record
    },
    hasEntity: ({ tenantId = null, resources, key }) =>
      database.read(async (tx) => {
        for (const record of tablesOf(resources)) {
          const { resource, keyOf } = record
          const id = keyOf(key)
          // Not an id of this resource; not every database can compare it.
          if (typeof id === 'number' && !Number.isSafeInteger(id)) continue
          const of = { tenantId, resource, key: id, text: String(id) }
          if ((await entity(record).get(tx, of)) !== undefined) return true
        }
        return false
      }),
    changes: (filter) => read(filter),
    decisions: (tenantId) => decisions(tenantId),
    waiverChanges: (tenantId) => waiverChanges(tenantId),
    configurations: () => configurations(),
  }
}

const soleResources: ReadonlySet<string> = new Set(
  Object.values(recordTables).flatMap(({ resource, idField }) => (idField === null ? [resource] : [])),
)

/** A singleton matches every id, so its resource must be named. */
function tablesOf(resources: ChangeFilter['resources']): readonly RecordTable[] {
  return Object.values(recordTables).filter(
    ({ resource, idField }) => resources?.includes(resource) ?? idField !== null,
  )
}

function conditionsOf({ tenantId, resources, key, field, since, until }: ChangeFilter, sql: Dialect) {
  const parts: (readonly [string, unknown])[] = []
  if (tenantId !== undefined) parts.push(['c.tenant_id = ?', tenantId])
  if (resources !== undefined) parts.push([sql.isIn('c.resource'), sql.listOf(resources)])
  if (key !== undefined) {
    const keys = tablesOf(resources).map(({ keyOf }) => String(keyOf(key)))
    parts.push([sql.isIn('c.key'), sql.listOf([key, ...keys])])
  }
  if (field !== undefined) parts.push(['c.field = ?', field])
  if (since !== undefined) parts.push(['c.at >= ?', since])
  if (until !== undefined) parts.push(['c.at <= ?', until])
  return { text: parts.map(([text]) => `and ${text}`).join(' '), values: parts.map(([, value]) => value) }
}

/** A singleton's key is the name of its resource, as in findings. */
function toChange(row: StoredChange<TenantChangeRow>): TenantChangeRow {
  return { ...parseChange(row), key: soleResources.has(row.resource) ? row.resource : row.key }
}
