import type { ResourceName } from '../../model/resource-names.ts'
import { recordTables } from './record-tables.ts'

export function apiFields(resource: ResourceName): readonly string[] {
  return Object.keys(recordTables[resource].fields)
}

/** Fields that name a person or a file. Beside such fields, unspecified ones (`extra`) may be personal, too. */
export function personalFields(resource: string): readonly string[] {
  const personal = Object.hasOwn(recordTables, resource) ? recordTables[resource as ResourceName].personal : []
  return personal.length === 0 ? personal : [...personal, 'extra']
}
