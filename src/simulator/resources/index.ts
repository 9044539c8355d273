import { apiClients } from './api-clients.ts'
import { authenticationSettings } from './authentication-settings.ts'
import { documents } from './documents.ts'
import type { Endpoint } from './endpoint.ts'
import { permissions } from './permissions.ts'
import type { SimulatedResource } from './resource.ts'
import { roles } from './roles.ts'
import { users } from './users.ts'

export const simulated = [
  apiClients,
  authenticationSettings,
  documents,
  permissions,
  roles,
  users,
] as const satisfies readonly SimulatedResource[]

export type ResourceName = (typeof simulated)[number]['name']

export const resourceNames: readonly ResourceName[] = simulated.map(({ name }) => name)

export const endpoints: readonly Endpoint[] = simulated.flatMap((resource): readonly Endpoint[] => resource.endpoints)

/** Codes that gate endpoints ("Permission codes that gate endpoints"). */
export const permissionCodes = [...new Set(endpoints.map(({ permission }) => permission))].toSorted()

export function resourceNamed(wanted: string): SimulatedResource {
  const found = simulated.find(({ name }) => name === wanted)
  if (found === undefined) throw new RangeError(`There is no resource ${wanted}`)
  return found
}
