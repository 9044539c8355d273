import type { Field } from '../../model/fields.ts'
import type { ResourceDefinition } from '../../model/resource.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { resources } from '../../resources/index.ts'
import type { MirrorRecord } from '../../store/records/query.ts'
import type { Row } from './sandbox-program.ts'

/** A table or a view that queries of own checks can read (docs/own-checks.md#the-views). */
export interface OwnView {
  readonly name: string
  readonly resource: ResourceName
  readonly columns: readonly ViewColumn[]
  /** SQL that creates it. */
  readonly create: string
}

interface ViewColumn {
  readonly name: string
  readonly kind: string
}

interface Column extends ViewColumn {
  readonly type: string
  read(record: MirrorRecord): unknown
}

interface SnapshotTable extends OwnView {
  readonly insert: string
  rowOf(record: MirrorRecord): Row
}

const kinds: Readonly<Record<Field['kind'], string>> = {
  date: 'text, as sent',
  flag: '1 or 0',
  guid: 'text, a GUID in lower case',
  integer: 'integer',
  list: 'JSON text',
  text: 'text',
}

/** One table a resource. */
export const snapshotTables: readonly SnapshotTable[] = resources.map(tableOf)

export const ownViews: readonly OwnView[] = [...snapshotTables, ...resources.flatMap(memberViews)].toSorted((a, b) =>
  a.name < b.name ? -1 : 1,
)

function tableOf(resource: ResourceDefinition): SnapshotTable {
  const name = resource.name.replaceAll('-', '_')
  const columns = columnsOf(resource)
  return {
    name,
    resource: resource.name,
    columns,
    create: `create table ${name} (${columns.map((column) => `"${column.name}" ${column.type}`).join(', ')})`,
    insert: `insert into ${name} values (${columns.map(() => '?').join(', ')})`,
    rowOf: (record) => columns.map((column) => sqlValue(column.read(record))),
  }
}

function columnsOf(resource: ResourceDefinition): readonly Column[] {
  const { fields, idField } = resource
  const columns: Column[] = []
  for (const [name, { kind }] of Object.entries<Field>(fields)) {
    const type = kind === 'integer' || kind === 'flag' ? 'integer' : 'text'
    columns.push({
      name,
      kind: kinds[kind],
      type: name === idField ? `${type} primary key` : type,
      // As in findings of other checks, regardless of the letter case of GUIDs.
      read: (record) => (kind === 'guid' ? record.key : record.fields[name]),
    })
    if (kind === 'date') columns.push(timeColumn(`${name}Ms`, (record) => record.times[`${name}Ms`]))
  }
  if (resource.kind === 'feed' && resource.lookUp !== undefined)
    columns.push(timeColumn(`${resource.lookUp.states}ReadAtMs`, ({ times }) => times['detailReadAt']))
  return [...columns, timeColumn('firstSeenAtMs', (record) => record.firstSeenAt)]
}

function timeColumn(name: string, read: Column['read']): Column {
  return { name, kind: 'milliseconds', type: 'integer', read }
}

function sqlValue(value: unknown): Row[number] {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return (value ?? null) as Row[number]
}

/** Views with one row a member of a list. */
function memberViews({ name: resource, idField, fields }: ResourceDefinition): readonly OwnView[] {
  return Object.entries<Field>(fields).flatMap(([list, field]) => {
    if (field.kind !== 'list') return []
    const members = Object.entries<Field>(field.of).map(([name, { kind }]) => ({ name, kind: kinds[kind] }))
    const values = members.map(({ name }) => `json_extract(value, '$.${name}') as "${name}"`)
    const from = `${resource.replaceAll('-', '_')}, json_each("${list}")`
    const create = `create view ${field.view} as select "${idField}", ${values.join(', ')} from ${from}`
    return [{ name: field.view, resource, columns: [{ name: `${idField}`, kind: kinds.integer }, ...members], create }]
  })
}
