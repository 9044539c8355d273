import type { Field } from '../../model/fields.ts'
import { guidKey } from '../../model/guid.ts'
import type { OwnColumn, ResourceDefinition } from '../../model/resource.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { resources } from '../../resources/index.ts'

export type FieldKind = 'boolean' | 'date' | 'integer' | 'json' | 'text'

/** A field that only an answer by id contains. */
export interface Detail {
  readonly field: string
  /** List field whose change makes the detail unknown. */
  readonly dependsOn: string
  /** Name of the time at which the detail was read. */
  readonly readAt: string
}

export interface ListView {
  readonly view: string
  readonly fields: Readonly<Record<string, FieldKind>>
}

/** How records of a resource are stored in the table `records`, from its descriptor. */
export interface RecordShape {
  readonly resource: ResourceName
  /** Name of the view for SQL, without a prefix. */
  readonly view: string
  readonly keyOf: (id: unknown) => string
  /** API field of the key; null for a singleton. */
  readonly idField: string | null
  readonly isNumbered: boolean
  readonly fields: Readonly<Record<string, FieldKind>>
  /** Date fields, with the names of their times in milliseconds. */
  readonly dates: readonly (readonly [field: string, time: string])[]
  /** Times that views show besides dates: name in the view, name in `times`. */
  readonly ownTimes: Readonly<Record<string, string>>
  readonly lists: Readonly<Record<string, ListView>>
  /** Fields that name a person or that a person wrote. */
  readonly personal: readonly string[]
  /** Fields whose null in a list means unknown. */
  readonly unlisted: readonly string[]
  /** Fields that no check reads, so that two records with one id may differ in them. */
  readonly unread: ReadonlySet<string>
  readonly detail: Detail | null
  /** Name of the first date that a record has, of these fields. */
  readonly firstOf: { readonly name: string; readonly dates: readonly string[] } | null
  readonly laterWins: string | null
}

const storedAs = {
  date: 'date',
  flag: 'boolean',
  guid: 'text',
  integer: 'integer',
  list: 'json',
  text: 'text',
} as const satisfies Readonly<Record<Field['kind'], FieldKind>>

export const recordShapes = Object.fromEntries(
  resources.map((resource) => [resource.name, recordShapeOf(resource)]),
) as Readonly<Record<ResourceName, RecordShape>>

function recordShapeOf(resource: ResourceDefinition): RecordShape {
  const { name, idField, laterWins = null, view = name.replaceAll('-', '_') } = resource
  const fields = Object.entries<Field>(resource.fields)
  const own = Object.entries<OwnColumn>(resource.own ?? {})
  const named = (isMeant: (field: Field) => boolean) => fields.flatMap(([field, one]) => (isMeant(one) ? [field] : []))
  const isNumbered = idField !== null && resource.fields[idField]?.kind === 'integer'
  return {
    resource: name,
    view,
    keyOf: idField === null ? () => '0' : isNumbered ? String : guidKey,
    idField,
    isNumbered,
    fields: Object.fromEntries(fields.map(([field, { kind }]) => [field, storedAs[kind]])),
    dates: named(({ kind }) => kind === 'date').map((field) => [field, `${field}Ms`] as const),
    ownTimes: Object.fromEntries(own.flatMap(([column, rule]) => viewOf(rule).map((shown) => [shown, column]))),
    lists: Object.fromEntries(fields.flatMap(listOf)),
    personal: named(({ personal }) => personal === true),
    unlisted: named((field) => field.kind === 'integer' && field.unstatedInList !== undefined),
    unread: new Set([...(idField === null ? [] : [idField]), ...named(({ strict }) => strict !== true)]),
    detail: detailOf(resource),
    firstOf: firstOf(own),
    laterWins,
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
  const { states: name } = resource.lookUp
  const field = resource.fields[name]
  const dependsOn = field?.kind === 'integer' ? field.unstatedInList?.until : undefined
  const [readAt] = Object.entries<OwnColumn>(resource.own ?? {}).find(([, { rule }]) => rule === 'readById') ?? []
  if (dependsOn === undefined || readAt === undefined)
    throw new TypeError(`${resource.name} looks ${name} up by id, but does not say until when it holds or since when`)
  return { field: name, dependsOn, readAt }
}

function firstOf(own: readonly (readonly [string, OwnColumn])[]): RecordShape['firstOf'] {
  for (const [name, column] of own) if (column.rule === 'firstOf') return { name, dates: column.dates }
  return null
}

export function apiFields(resource: ResourceName): readonly string[] {
  return Object.keys(recordShapes[resource].fields)
}

/** Fields that may name a person or a file, including unspecified ones (`extra`). */
export function personalFields(resource: string): readonly string[] {
  const personal = Object.hasOwn(recordShapes, resource) ? recordShapes[resource as ResourceName].personal : []
  return [...personal, 'extra']
}
