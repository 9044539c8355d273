/** A user as the tenant describes it (docs/api.md#user). Descriptive fields of a wrong type are null. */
export interface User {
  readonly userId: number
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly state: string
  readonly mfaStatus: boolean
  readonly mfaAction: boolean
  readonly roleId: number | null
  readonly roleName: string | null
  readonly createdAt: string
}

/** One entry of the permission catalogue (docs/api.md#permission). */
export interface Permission {
  readonly permissionId: number
  readonly name: string | null
  readonly module: string | null
  readonly function: string | null
  readonly code: string
}

/** A role with the permissions it grants (docs/api.md#role). */
export interface Role {
  readonly roleId: number
  readonly name: string
  readonly description: string | null
  readonly state: string
  readonly type: string | null
  readonly isReadOnly: boolean | null
  readonly permissions: readonly Permission[]
}

/** The tenant's sign-in policy (docs/api.md#authentication-settings). */
export interface AuthenticationSettings {
  readonly ssoEnabled: boolean
  readonly ssoEnforced: boolean
  readonly providerType: string | null
  readonly tenantName: string | null
  readonly mfaEnabled: boolean
}

/** A registered API client, never with its secret (docs/api.md#api-client). */
export interface ApiClient {
  readonly clientId: string
  readonly name: string | null
  readonly roleName: string | null
  readonly secretExpirationDate: string
  readonly createdAt: string | null
}

/** Metadata of an uploaded document (docs/api.md#document). */
export interface Document {
  readonly fileId: string
  readonly filename: string | null
  readonly uploadStatus: string | null
  readonly createdAt: string
  readonly updatedAt: string | null
}

/** The four required fields of create-user (docs/api.md#create-user). */
export interface NewUser {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly roleId: number
}
