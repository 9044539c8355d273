import type { ResourceName } from '../model/resource-names.ts'

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

const root = '/api/public'

export const endpoints = {
  createUser: { template: `${root}/users`, permission: 'Api_Users_Create', resource: 'users', whole: false },
  getAuthenticationSettings: {
    template: `${root}/authentication-settings`,
    permission: 'Api_AuthSettings_Read',
    resource: 'authentication-settings',
    whole: false,
  },
  getRole: { template: `${root}/roles/{id}`, permission: 'Api_Roles_Read', resource: 'roles', whole: false },
  getUser: { template: `${root}/users/{id}`, permission: 'Api_Users_Read', resource: 'users', whole: false },
  listApiClients: {
    template: `${root}/api-clients`,
    permission: 'Api_ApiClients_Read',
    resource: 'api-clients',
    whole: false,
  },
  listDocuments: {
    template: `${root}/documents`,
    permission: 'Api_Documents_Read',
    resource: 'documents',
    whole: false,
  },
  listPermissions: {
    template: `${root}/permissions`,
    permission: 'Api_Roles_Read',
    resource: 'permissions',
    whole: true,
  },
  listRoles: { template: `${root}/roles`, permission: 'Api_Roles_Read', resource: 'roles', whole: true },
  listUsers: { template: `${root}/users`, permission: 'Api_Users_Read', resource: 'users', whole: false },
} as const satisfies Readonly<Record<string, Endpoint>>

/** Endpoints that tell whether a token still works, the cheapest first. */
const probes: readonly Endpoint[] = [
  endpoints.getAuthenticationSettings,
  endpoints.listUsers,
  endpoints.listPermissions,
  endpoints.listRoles,
  endpoints.listApiClients,
  endpoints.listDocuments,
]

/** One endpoint for each permission, of the resources that are asked for at all. */
export function probesFor(resources: readonly ResourceName[]): readonly Endpoint[] {
  const chosen = new Map<string, Endpoint>()
  for (const probe of probes) {
    if (resources.includes(probe.resource) && !chosen.has(probe.permission)) chosen.set(probe.permission, probe)
  }
  return [...chosen.values()]
}
