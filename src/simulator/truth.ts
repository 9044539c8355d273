/** Fields that replace those of the rendered record verbatim, to make malformed records. */
export type Raw = Readonly<Record<string, unknown>>

/** A user; times are epoch milliseconds. */
export interface UserTruth {
  readonly userId: number
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly state: string
  readonly mfaStatus: boolean
  readonly mfaAction: boolean
  readonly roleId: number
  /** Null = the name of the role with `roleId`. */
  readonly roleName: string | null
  readonly createdAt: number
  readonly raw: Raw
}

export interface Permission {
  readonly permissionId: number
  readonly name: string
  readonly module: string
  readonly function: string
  readonly code: string
}

export interface RoleTruth {
  readonly roleId: number
  readonly name: string
  readonly description: string
  readonly state: string
  readonly type: string
  readonly isReadOnly: boolean
  readonly permissions: readonly Permission[]
  readonly raw: Raw
}

export interface ClientTruth {
  readonly clientId: string
  readonly name: string
  readonly roleName: string
  readonly secretExpirationDate: number
  readonly createdAt: number
  readonly raw: Raw
}

export interface DocumentTruth {
  readonly fileId: string
  readonly filename: string
  readonly uploadStatus: string | null
  readonly createdAt: number
  readonly updatedAt: number | null
  readonly raw: Raw
}

export interface SettingsTruth {
  readonly ssoEnabled: boolean
  readonly ssoEnforced: boolean
  readonly providerType: string | null
  readonly tenantName: string | null
  readonly mfaEnabled: boolean
  readonly raw: Raw
}

export const tenantNames = ['primary', 'second'] as const
export type TenantName = (typeof tenantNames)[number]

/** A code of the permission catalogue that gates an endpoint. */
export type PermissionCode = `Api_${string}`
