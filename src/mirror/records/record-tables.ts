import type { Field } from '../../model/fields.ts'
import { type OwnColumn, type ResourceDefinition, takesUpdatedAfter } from '../../model/resource.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { resources } from '../../resources/index.ts'
import { mirrored, tableNameOf } from '../schema/mirrored.ts'
import { ownColumnRules } from './own-column-rules.ts'
import { type Detail, type FieldKind, guidKey, type RecordTable } from './record-table.ts'

const storedAs = {
  date: 'date',
  flag: 'boolean',
  guid: 'text',
  integer: 'integer',
  list: 'json',
  text: 'text',
} as const satisfies Readonly<Record<Field['kind'], FieldKind>>

const byName = Object.fromEntries(resources.map((resource) => [resource.name, recordTableOf(resource)]))

export const recordTables = byName as Readonly<Record<ResourceName, RecordTable>>

function recordTableOf(resource: ResourceDefinition): RecordTable {
  const { name, key, idField, counted, laterWins, person } = resource
  const table = mirrored[tableNameOf(resource)]
  if (table === undefined) throw new TypeError(`There is no table of ${name}`)
  const fields = Object.entries<Field>(resource.fields)
  const own = Object.entries<OwnColumn>(resource.own ?? {})
  const named = (isMeant: (field: Field) => boolean) => fields.flatMap(([field, one]) => (isMeant(one) ? [field] : []))
  const detail = detailOf(resource)
  return {
    resource: name,
    table,
    key,
    keyOf: idField === null ? () => 0 : key === idField ? Number : guidKey,
    idField,
    fields: Object.fromEntries(fields.map(([field, { kind }]) => [field, storedAs[kind]])),
    // A change that invalidates the detail also clears its turn.
    own: [...own.map(([column]) => column), ...(detail === null ? [] : ['lookupTurn'])],
    ownTimes: Object.fromEntries(own.flatMap(([column, rule]) => viewOf(rule).map((view) => [view, column]))),
    sinceTimes: own.flatMap(([column, { rule }]) => (rule === 'sinceChangeOf' ? [column] : [])),
    lists: Object.fromEntries(fields.flatMap(listOf)),
    counted,
    personal: named(({ personal }) => personal === true),
    unstated: named((field) => field.kind === 'integer' && field.unstatedInList !== undefined),
    unread: named(({ strict }) => strict !== true),
    ...(detail === null ? {} : { detail }),
    ...(person === undefined ? {} : { person }),
    ...(laterWins === undefined ? {} : { laterWins }),
    ...(takesUpdatedAfter(resource) ? { updatedAfter: resource.updatedAfter } : {}),
    ...ownColumnRules(resource, detail),
  }
}

function viewOf(column: OwnColumn): readonly string[] {
  return column.rule === 'firstOf' || column.view === undefined ? [] : [column.view]
}

function listOf([name, field]: [string, Field]) {
  if (field.kind !== 'list') return []
  const fields = Object.entries<Field>(field.of).map(([member, { kind }]) => [member, storedAs[kind]] as const)
  return [[name, { view: field.view, fields: Object.fromEntries(fields) }] as const]
}

function detailOf(resource: ResourceDefinition): Detail | null {
  if (resource.kind !== 'feed' || resource.lookUp === undefined) return null
  const { states, ifEqual } = resource.lookUp
  const field = resource.fields[states]
  const hangsOn = field?.kind === 'integer' ? field.unstatedInList?.until : undefined
  const [readAt] = Object.entries<OwnColumn>(resource.own ?? {}).find(([, { rule }]) => rule === 'readById') ?? []
  if (hangsOn === undefined || readAt === undefined) {
    throw new TypeError(`${resource.name} looks ${states} up by id, but does not say until when it holds or since when`)
  }
  return { states, hangsOn, ifEqual, readAt }
}
