import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { apiClients } from './api-clients.ts'
import { authenticationSettings } from './authentication-settings.ts'
import { documents } from './documents.ts'
import { permissions } from './permissions.ts'
import { roles } from './roles.ts'
import { users } from './users.ts'

/** Everything that is mirrored, in alphabetical order. */
export const resources = [
  apiClients,
  authenticationSettings,
  documents,
  permissions,
  roles,
  users,
] as const satisfies readonly ResourceDefinition[]

/** The descriptor of one resource, with the types of its own fields. */
export type ResourceNamed<Name extends ResourceName> = Extract<(typeof resources)[number], { readonly name: Name }>
