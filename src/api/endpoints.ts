import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { resources } from '../resources/index.ts'
import { roles } from '../resources/roles.ts'
import { users } from '../resources/users.ts'

/** An endpoint of the tenant's API (docs/api.md#endpoints). */
export interface Endpoint {
  /** Path template, also the label of metrics. */
  readonly template: string
  /** The required permission code (docs/api.md#permission). */
  readonly permission: string
  readonly resource: ResourceName
  readonly whole: boolean
}

export function endpointOf({ path, permission, name, kind, idField }: ResourceDefinition): Endpoint {
  return { template: path, permission, resource: name, whole: kind === 'whole' && idField !== null }
}

/** Null where the API has no endpoint for one record. */
export function byIdEndpointOf(resource: ResourceDefinition): Endpoint | null {
  // The daemon never asks for one role, so its descriptor has no look-up.
  const path = resource.kind === 'feed' ? resource.lookUp?.path : resource.name === roles.name ? getRolePath : undefined
  return path === undefined ? null : { ...endpointOf(resource), template: path, whole: false }
}

export const createUserEndpoint: Endpoint = { ...endpointOf(users), permission: 'Api_Users_Create' }

const getRolePath = `${roles.path}/{id}`

/** For each permission the cheapest endpoint of the enabled resources. */
export function probesFor(names: readonly ResourceName[]): readonly Endpoint[] {
  const chosen = new Map<string, Endpoint>()
  for (const resource of resources.toSorted((a, b) => a.probe - b.probe)) {
    const { name, permission } = resource
    if (names.includes(name) && !chosen.has(permission)) chosen.set(permission, endpointOf(resource))
  }
  return [...chosen.values()]
}
