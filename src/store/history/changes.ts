import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Db, Dialect } from '../db/db.ts'
import { type AsOf, recordSubject, recordSubjects, type StoredEvent } from '../event-store.ts'
import { type FieldChanges, listOfKinds, type RecordKind, recordKinds } from '../events.ts'
import type { ChangeRow } from '../records/query.ts'
import { type RecordShape, recordShapes } from '../records/record-shape.ts'
import { columnList, fromJson } from '../rows.ts'
import { events } from '../schema/index.ts'

export type StoredRecordEvent = StoredEvent & { readonly kind: RecordKind; readonly data: string }

/** Events of records that are not erased. */
export const ofRecords = `kind in (${listOfKinds(recordKinds)}) and data is not null`

/** A row for the record as a whole, unless it only changed, and for each changed field; they have the id of the event. */
export function changesIn({ id, at, kind, subject, data, requestId }: StoredRecordEvent): readonly ChangeRow[] {
  const slash = subject.indexOf('/')
  const resource = subject.slice(0, slash) as ResourceName
  const of = { id, resource, key: subject.slice(slash + 1), at, requestId }
  const fields = Object.entries(fromJson(data) as FieldChanges).map(([field, [before, after]]): ChangeRow => {
    return { ...of, kind: 'changed', field, before, after }
  })
  if (kind === 'record.changed') return fields
  const whole = kind.slice('record.'.length) as ChangeRow['kind']
  return [{ ...of, kind: whole, field: null, before: null, after: null }, ...fields]
}

export interface TenantChangeRow extends ChangeRow {
  readonly tenant: string
}

/** Times are milliseconds since the epoch. */
export interface ChangeFilter {
  readonly tenantId?: number | undefined
  readonly resources?: readonly ResourceName[] | undefined
  /** An id, in any letter case. The id of a singleton only matches if its resource is named. */
  readonly key?: string | undefined
  readonly field?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Reads the last events only, the newest first. */
  readonly newestFirst?: boolean
}

const batchSize = 500

/** Bounds the search for the last changes among other events. */
const mostLookedAt = 50_000

type StoredChange = StoredRecordEvent & { readonly tenant: string }

/** Reads the changes of records. */
export function changeStore(db: Db) {
  async function* changes(filter: ChangeFilter): AsyncGenerator<readonly TenantChangeRow[]> {
    const { field, newestFirst = false } = filter
    const { text, values } = conditionsOf(filter, db.dialect)
    const [beyond, order] = newestFirst ? ['<', 'desc'] : ['>', 'asc']
    const latest = newestFirst ? `and c.id > (select max(id) from events) - ${mostLookedAt}` : ''
    const select = `select ${columnList(events, 'c')}, t.name as tenant from events c join tenants t on t.id = c.tenant_id
       where c.id ${beyond} ? ${latest} and ${ofRecords} ${text} order by c.id ${order} limit ${batchSize}`
    for (let reached = newestFirst ? Number.MAX_SAFE_INTEGER : 0; ; ) {
      const from = reached
      const rows = await db.read((tx) => tx<StoredChange>(select, [from, ...values]))
      const found = rows.flatMap((row) => (newestFirst ? toChanges(row).toReversed() : toChanges(row)))
      if (found.length > 0) yield found.filter((change) => field === undefined || change.field === field)
      if (rows.length < batchSize) return
      reached = rows.at(-1)?.id ?? from
      await yieldToEventLoop()
    }
  }

  return {
    changes,
    /** True for a record, live, removed or quarantined. */
    hasEntity: ({
      tenantId,
      resources,
      key,
    }: Pick<ChangeFilter, 'resources' | 'tenantId'> & { readonly key: string }) =>
      db.read(async (tx) => {
        const ofTenant = tenantId === undefined ? 'tenant_id in (select id from tenants)' : 'tenant_id = @tenantId'
        const text = `select 1 from records where ${ofTenant} and resource = @resource and key = @key limit 1`
        for (const { resource, keyOf } of shapesOf(resources))
          if ((await tx(text, [{ tenantId: tenantId ?? null, resource, key: keyOf(key) }])).length > 0) return true
        return false
      }),
  }
}

const soleResources: ReadonlySet<string> = new Set(
  Object.values(recordShapes).flatMap(({ resource, idField }) => (idField === null ? [resource] : [])),
)

/** A singleton matches every id, so its resource must be named. */
function shapesOf(resources: ChangeFilter['resources']): readonly RecordShape[] {
  return Object.values(recordShapes).filter(
    ({ resource, idField }) => resources?.includes(resource) ?? idField !== null,
  )
}

function conditionsOf({ tenantId, resources, key, since, until }: ChangeFilter, dialect: Dialect) {
  const parts: string[] = []
  const values: unknown[] = []
  const add = (part: string, ...bound: readonly unknown[]) => {
    parts.push(`and ${part}`)
    values.push(...bound)
  }
  if (tenantId !== undefined) add('c.tenant_id = ?', tenantId)
  if (key !== undefined) {
    const subjects = shapesOf(resources).flatMap(({ resource, keyOf }) =>
      [key, keyOf(key)].map((id) => recordSubject(resource, id)),
    )
    add(dialect.isIn('c.subject'), subjects)
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

/**
 * Reads name and personal fields of records by id, of removed ones until their erasure; unknown ids are left out. The
 * value of a field at a past time is the old value of its first later change; without one, the current value.
 */
export function personalReader(db: Db, asOf: AsOf) {
  const { dialect } = db
  const presentText = dialect.recordsByKeys('key, body', 'body is not null')
  const laterText = `select ${columnList(events, 'e')} from events e where tenant_id = ? and ${ofRecords}
    and ${dialect.isIn('subject')} and not (${asOf.events('e')}) order by +id desc`
  return async (
    tenantId: number,
    resource: ResourceName,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
    if (ids.length === 0) return new Map()
    const { keyOf, personal } = recordShapes[resource]
    const read = ['name', ...personal]
    const [rows, later] = await db.read(async (sql) => {
      const keys = ids.map(keyOf)
      const rows = await sql<[key: string, body: string]>(presentText, [{ tenantId, resource, keys }], 'arrays')
      const subjects = rows.map(([key]) => recordSubject(resource, key))
      return [rows, await sql<StoredRecordEvent>(laterText, [tenantId, subjects])]
    })
    const found = new Map(rows.map(([key, body]) => [key, fieldsIn(body, read)]))
    for (const { key, field, before } of later.flatMap(changesIn)) {
      const fields = found.get(key)
      if (fields !== undefined && field !== null && read.includes(field)) fields[field] = before
    }
    return new Map(
      ids.flatMap((id) => {
        const fields = found.get(keyOf(id))
        return fields === undefined ? [] : [[id, fields] as const]
      }),
    )
  }
}

function fieldsIn(body: string, read: readonly string[]): Record<string, unknown> {
  const fields = fromJson(body) as Record<string, unknown>
  return Object.fromEntries(read.map((field) => [field, fields[field] ?? null]))
}
