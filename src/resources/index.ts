import type { ResourceDefinition } from '../model/resource.ts'
import { apiClients } from './api-clients.ts'
import { authenticationSettings } from './authentication-settings.ts'
import { documents } from './documents.ts'
import { permissions } from './permissions.ts'
import { roles } from './roles.ts'
import { users } from './users.ts'

export const resources = [
  apiClients,
  authenticationSettings,
  documents,
  permissions,
  roles,
  users,
] as const satisfies readonly ResourceDefinition[]

/** Resources whose ids are GUIDs, so that each id exists in one tenant only. */
export const identifying = resources.filter((one) => 'identifiedBy' in one && one.identifiedBy === 'guid')
