import type { Field, FieldKind } from '../../model/fields.ts'
import { guidKey } from '../../model/guid.ts'
import { type LookUpRule, type ResourceDefinition, takesUpdatedAfter, type UpdatedAfter } from '../../model/resource.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { valueWithoutDetails } from '../../model/text/redact.ts'
import { resources } from '../../resources/index.ts'
import type { ChangeRow } from './query.ts'

/** How records of a resource are stored in the table `records`, from its descriptor. */
export interface RecordShape {
  readonly resource: ResourceName
  readonly keyOf: (id: unknown) => string
  /** API field of the key; null for a singleton. */
  readonly idField: string | null
  readonly isNumbered: boolean
  readonly fields: Readonly<Record<string, FieldKind>>
  /** Date fields, with the names of their times in milliseconds. */
  readonly dates: readonly (readonly [field: string, time: string])[]
  /** Fields that name a person or that a person wrote. */
  readonly personal: readonly string[]
  /** Fields that no check reads, so that two records with one id may differ in them. */
  readonly unread: ReadonlySet<string>
  /** The field that only an answer by id contains. */
  readonly detail: LookUpRule | null
  readonly updatedAfter: UpdatedAfter | null
  /** The date that moves later when a secret is rotated. */
  readonly rotation: string | null
}

export const recordShapes = Object.fromEntries(
  resources.map((resource) => [resource.name, recordShapeOf(resource)]),
) as Readonly<Record<ResourceName, RecordShape>>

function recordShapeOf(resource: ResourceDefinition): RecordShape {
  const { name, idField } = resource
  const fields = Object.entries<Field>(resource.fields)
  const named = (isMeant: (field: Field) => boolean) => fields.flatMap(([field, one]) => (isMeant(one) ? [field] : []))
  const isNumbered = idField !== null && resource.fields[idField]?.kind === 'integer'
  return {
    resource: name,
    keyOf: idField === null ? () => '0' : isNumbered ? String : guidKey,
    idField,
    isNumbered,
    fields: Object.fromEntries(fields.map(([field, { kind }]) => [field, kind])),
    dates: named(({ kind }) => kind === 'date').map((field) => [field, `${field}Ms`] as const),
    personal: named(({ personal }) => personal === true),
    unread: new Set(['extra', ...(idField === null ? [] : [idField]), ...named(({ strict }) => strict !== true)]),
    detail: (resource.kind === 'feed' ? resource.lookUp : null) ?? null,
    updatedAfter: takesUpdatedAfter(resource) ? resource.updatedAfter : null,
    rotation: named((field) => field.kind === 'date' && field.laterMeans === 'secretRotated')[0] ?? null,
  }
}

export function apiFields(resource: ResourceName): readonly string[] {
  return Object.keys(recordShapes[resource].fields)
}

/** Fields that may name a person or a file, including unspecified ones (`extra`). */
export function personalFields(resource: string): readonly string[] {
  const personal = Object.hasOwn(recordShapes, resource) ? recordShapes[resource as ResourceName].personal : []
  return [...personal, 'extra']
}

/** A change of a record as outputs without details show it. */
export function withoutChangeDetails<T extends Pick<ChangeRow, 'resource' | 'field' | 'before' | 'after'>>(
  change: T,
): T {
  const { resource, field, before, after } = change
  const isPersonal = field !== null && personalFields(resource).includes(field)
  return {
    ...change,
    before: valueWithoutDetails(before, isPersonal),
    after: valueWithoutDetails(after, isPersonal),
  }
}
