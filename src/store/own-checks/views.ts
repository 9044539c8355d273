import type { ResourceName } from '../../model/resource-names.ts'
import { type FieldKind, type RecordShape, recordShapes } from '../records/record-shape.ts'

export interface ViewColumn {
  readonly name: string
  readonly kind: string
}

export interface OwnView {
  readonly name: string
  readonly resource: ResourceName
  readonly columns: readonly ViewColumn[]
  /** A select over the mirror's tables, into which `tenantId` is inserted. */
  body(tenantId: number): string
}

const kinds: Readonly<Record<FieldKind, string>> = {
  boolean: '1 or 0',
  date: 'text, as sent',
  integer: 'integer',
  json: 'JSON text',
  text: 'text',
}

const guidKind = 'text, a GUID in lower case'
const time = 'milliseconds'

const fromRecords = (resource: string, tenantId: number) =>
  `from main.records r where r.tenant_id = ${tenantId} and r.resource = '${resource}' and r.removed_at is null and r.body is not null`

const ms = (date: string) => `cast(round((julianday(${date}) - 2440587.5) * 86400000) as integer)`

export const ownViews: readonly OwnView[] = Object.values(recordShapes)
  .flatMap((shape) => [viewOf(shape), ...listViewsOf(shape)])
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

function viewOf(shape: RecordShape): OwnView {
  const { resource } = shape
  const shown = shownColumns(shape)
  const list = shown.map((column) => `${column.stored} as "${column.name}"`).join(', ')
  return {
    name: resource.replaceAll('-', '_'),
    resource,
    columns: shown.map((column) => ({ name: column.name, kind: column.kind })),
    body: (tenantId) => `select ${list} ${fromRecords(resource, tenantId)}`,
  }
}

function shownColumns({ fields, ownTimes, isNumbered, idField, detail }: RecordShape) {
  const member = (field: string) => `r.body ->> '${field}'`
  return [
    ...Object.entries(fields).flatMap(([field, kind]) => {
      // As in findings of other checks, regardless of the letter case of GUIDs.
      const isGuid = field === idField && !isNumbered
      const stored = isGuid ? 'r.key' : field === detail?.field ? `r.supplement ->> '${field}'` : member(field)
      const own = { name: field, kind: isGuid ? guidKind : kinds[kind], stored }
      return kind === 'date' ? [own, { name: `${field}Ms`, kind: time, stored: ms(stored) }] : [own]
    }),
    ...Object.entries(ownTimes).map(([view, own]) => ({ name: view, kind: time, stored: `r.supplement ->> '${own}'` })),
    { name: 'firstSeenAtMs', kind: time, stored: 'r.first_seen_at' },
  ]
}

function listViewsOf({ resource, idField, fields: own, lists }: RecordShape): OwnView[] {
  const id = idField ?? 'id'
  return Object.entries(lists).map(([list, { view, fields }]) => {
    const members = Object.keys(fields).map((field) => `json_extract(p.value, '$.${field}') as "${field}"`)
    return {
      name: view,
      resource,
      columns: [
        { name: id, kind: kinds[own[id] ?? 'integer'] },
        ...Object.entries(fields).map(([name, kind]) => ({ name, kind: kinds[kind] })),
      ],
      body: (tenantId) => `
        select r.body ->> '${id}' as "${id}", ${members.join(', ')}
        ${fromRecords(resource, tenantId).replace('main.records r', `main.records r, json_each(r.body -> '${list}') p`)}`,
    }
  })
}

/** The table that the views read. */
export const snapshotTables = [
  {
    create: (tenantId: number) =>
      `create table records (tenant_id integer default ${tenantId}, resource text, key text, body text, supplement text, first_seen_at integer, removed_at integer)`,
  },
]
