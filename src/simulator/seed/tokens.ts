import type { PermissionCode, TenantName } from '../truth.ts'

export interface TokenSeed {
  readonly tenant: TenantName
  readonly client: string
  readonly role: string
  readonly grants: (code: string) => boolean
}

const isRead = (code: string) => code !== 'Api_Users_Create'
const without = (missing: PermissionCode) => (code: string) => isRead(code) && code !== missing

const reader = { role: 'Compliance Reader', grants: isRead } as const
const creator = { role: 'User Provisioning', grants: () => true } as const

const tokenSeeds = {
  reader: { tenant: 'primary', client: 'Compliance monitor', ...reader },
  creator: { tenant: 'primary', client: 'HR provisioning', ...creator },
  createOnly: {
    tenant: 'primary',
    client: 'Onboarding form',
    role: 'Provisioning Only',
    grants: (code: string) => !isRead(code),
  },
  withoutUsers: {
    tenant: 'primary',
    client: 'Monitor without users',
    role: 'Reader without users',
    grants: without('Api_Users_Read'),
  },
  withoutRoles: {
    tenant: 'primary',
    client: 'Monitor without roles',
    role: 'Reader without roles',
    grants: without('Api_Roles_Read'),
  },
  withoutAuthSettings: {
    tenant: 'primary',
    client: 'Monitor without settings',
    role: 'Reader without settings',
    grants: without('Api_AuthSettings_Read'),
  },
  withoutApiClients: {
    tenant: 'primary',
    client: 'Monitor without clients',
    role: 'Reader without clients',
    grants: without('Api_ApiClients_Read'),
  },
  withoutDocuments: {
    tenant: 'primary',
    client: 'Monitor without documents',
    role: 'Reader without documents',
    grants: without('Api_Documents_Read'),
  },
  none: { tenant: 'primary', client: 'Unused integration', role: 'No API access', grants: () => false },
  expired: { tenant: 'primary', client: 'Retired monitor', ...reader },
  secondReader: { tenant: 'second', client: 'Compliance monitor', ...reader },
  secondCreator: { tenant: 'second', client: 'HR provisioning', ...creator },
} as const satisfies Readonly<Record<string, TokenSeed>>

export type TokenName = keyof typeof tokenSeeds

export function tokenNames(): TokenName[] {
  return (Object.keys(tokenSeeds) as TokenName[]).slice()
}

export function tokenSeed(name: TokenName): TokenSeed {
  return tokenSeeds[name]
}
