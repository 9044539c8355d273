import type { ResourceName } from '../../model/resource-names.ts'
import { recordTables } from './record-tables.ts'

/** Names of a resource's fields, in the API's own order. */
export function apiFields(resource: ResourceName): readonly string[] {
  return Object.keys(recordTables[resource].fields)
}

/** Fields of a resource that name a person or a file; beside such ones, what the specification does not name may, too. */
export function personalFields(resource: string): readonly string[] {
  const personal = Object.hasOwn(recordTables, resource) ? recordTables[resource as ResourceName].personal : []
  return personal.length === 0 ? personal : [...personal, 'extra']
}
