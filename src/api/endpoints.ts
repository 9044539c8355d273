import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { resources } from '../resources/index.ts'
import { roles } from '../resources/roles.ts'
import { users } from '../resources/users.ts'

/** One endpoint of the tenant's API (docs/api.md#endpoints). */
export interface Endpoint {
  /** Path template, the label of metrics. */
  readonly template: string
  /** The permission code that gates it (docs/api.md#permission). */
  readonly permission: string
  readonly resource: ResourceName
  /** Unpaginated lists come whole in one answer, so they may be larger. */
  readonly whole: boolean
}

/** The endpoint of a list or object. */
export function endpointOf({ path, permission, name, kind, idField }: ResourceDefinition): Endpoint {
  return { template: path, permission, resource: name, whole: kind === 'whole' && idField !== null }
}

/** The endpoint of one record, where the engine asks for one. */
export function lookUpEndpointOf(resource: ResourceDefinition): Endpoint | null {
  if (resource.kind !== 'feed' || resource.lookUp === undefined) return null
  return { ...endpointOf(resource), template: resource.lookUp.path }
}

export const createUserEndpoint: Endpoint = { ...endpointOf(users), permission: 'Api_Users_Create' }

export const getRoleEndpoint: Endpoint = { ...endpointOf(roles), template: `${roles.path}/{id}`, whole: false }

/** One endpoint for each permission, the cheapest, of the resources that are asked for at all. */
export function probesFor(names: readonly ResourceName[]): readonly Endpoint[] {
  const chosen = new Map<string, Endpoint>()
  for (const resource of resources.toSorted((a, b) => a.probe - b.probe)) {
    const { name, permission } = resource
    if (names.includes(name) && !chosen.has(permission)) chosen.set(permission, endpointOf(resource))
  }
  return [...chosen.values()]
}
