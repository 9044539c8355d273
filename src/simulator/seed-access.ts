import { DAY, type Kept, MINUTE, type Permission, type PermissionCode, permissionCodes } from './fields.ts'
import { guidFor, mix, pick } from './random.ts'
import { integrationNames, type TenantSeed } from './seed-feeds.ts'

export const tenantNames = ['primary', 'second'] as const
export type TenantName = (typeof tenantNames)[number]

interface TokenSeed {
  readonly tenant: TenantName
  readonly client: string
  readonly role: string
  readonly permissions: readonly PermissionCode[]
}

const reads = permissionCodes.filter((code) => code !== 'Api_Users_Create')
const reader = { tenant: 'primary', role: 'Compliance Reader', permissions: reads } as const
const creator = { tenant: 'primary', role: 'User Provisioning', permissions: permissionCodes } as const

function readerWithout(what: string, missing: PermissionCode) {
  const permissions = reads.filter((code) => code !== missing)
  return { tenant: 'primary', client: `Monitor without ${what}`, role: `Reader without ${what}`, permissions } as const
}

/** The API clients that have tokens, each with its own set of permissions. */
export const tokenSeeds = {
  reader: { ...reader, client: 'Compliance monitor' },
  creator: { ...creator, client: 'HR provisioning' },
  createOnly: {
    tenant: 'primary',
    client: 'Onboarding form',
    role: 'Provisioning Only',
    permissions: ['Api_Users_Create'],
  },
  withoutUsers: readerWithout('users', 'Api_Users_Read'),
  withoutRoles: readerWithout('roles', 'Api_Roles_Read'),
  withoutAuthSettings: readerWithout('settings', 'Api_AuthSettings_Read'),
  withoutApiClients: readerWithout('clients', 'Api_ApiClients_Read'),
  withoutDocuments: readerWithout('documents', 'Api_Documents_Read'),
  none: { tenant: 'primary', client: 'Unused integration', role: 'No API access', permissions: [] },
  expired: { ...reader, client: 'Retired monitor' },
  secondReader: { ...reader, tenant: 'second', client: 'Compliance monitor' },
  secondCreator: { ...creator, tenant: 'second', client: 'HR provisioning' },
} as const satisfies Readonly<Record<string, TokenSeed>>

export type TokenName = keyof typeof tokenSeeds
export const tokenNames = Object.keys(tokenSeeds) as TokenName[]

const otherCodes = [
  'Portal_Dashboard_Read',
  'Portal_Documents_Upload',
  'Portal_Documents_Delete',
  'Portal_Users_Invite',
  'Portal_Roles_Manage',
  'Reports_Export_Create',
] as const

/** The permission catalogue of every tenant; a code is module, function and action. */
export const permissions: readonly Permission[] = [...permissionCodes, ...otherCodes].map((code, index) => {
  const [module = '', fn = '', name = ''] = code.split('_')
  return { permissionId: 11 + index * 2, name, module, function: fn, code }
})

/** At least `count` roles: those of users, of tokens, and with problems inactive ones and two of one name. */
export function seedRoles({ tenant, problems }: TenantSeed, count: number, firstId: number, inactive: string) {
  const roles: Kept<'roles'>[] = []
  const add = (name: string, codes: readonly string[], other: Partial<Kept<'roles'>> = {}) => {
    roles.push({
      roleId: firstId + roles.length * 7,
      name,
      description: `${name} of the ${tenant} tenant`,
      state: 'Active',
      type: 'User',
      isReadOnly: false,
      permissions: permissions.filter(({ code }) => codes.includes(code)),
      raw: {},
      ...other,
    })
  }
  add('Member', ['Portal_Dashboard_Read', 'Portal_Documents_Upload'])
  add(
    'Administrator',
    permissions.map(({ code }) => code),
    { isReadOnly: true },
  )
  add('Auditor', ['Portal_Dashboard_Read', 'Reports_Export_Create'], { isReadOnly: true })
  add('Viewer', ['Portal_Dashboard_Read'])
  if (problems) {
    add('Viewer', ['Portal_Dashboard_Read', 'Portal_Users_Invite'])
    add('Former contractor', ['Portal_Dashboard_Read'], { state: inactive })
    add('Legacy connector', ['Api_Documents_Read'], { state: inactive, type: 'ApiClient' })
  }
  const ofTokens = Object.values<TokenSeed>(tokenSeeds).filter((token) => token.tenant === tenant)
  for (const [name, codes] of new Map(ofTokens.map((token) => [token.role, token.permissions])))
    add(name, codes, { type: 'ApiClient' })
  for (let n = 1; roles.length < count; n++) add(`Team ${n}`, ['Portal_Dashboard_Read'])
  return roles
}

/** Names, roles and days until the secret expires, one for each kind of problem. */
const problemClients = [
  ['Old importer', 'Compliance Reader', -5],
  ['Backup robot', 'Compliance Reader', 3],
  ['Warehouse export', 'Compliance Reader', 20],
  ['Forever integration', 'Compliance Reader', 900],
  ['Badge printer', 'User Provisioning', 150],
  ['Orphaned script', 'Deleted role', 150],
  ['Ambiguous reporter', 'Viewer', 150],
  ['Connector from 2019', 'Legacy connector', 150],
] as const

/** The client id of a token; `seed` is that of its tenant. */
export function clientIdOf(token: TokenName, seed: number): string {
  return guidFor(seed ^ 0x6b1d, tokenNames.indexOf(token))
}

/** At least `count` API clients: those of tokens and, with problems, one for each kind. */
export function seedClients({ tenant, seed, now, problems }: TenantSeed, count: number): Kept<'api-clients'>[] {
  const clients: Kept<'api-clients'>[] = []
  const add = (clientId: string, name: string, roleName: string, days: number) => {
    const createdAt = now - 300 * DAY + clients.length * MINUTE
    clients.push({ clientId, name, roleName, secretExpirationDate: now + days * DAY, createdAt, raw: {} })
  }
  for (const name of tokenNames) {
    const token = tokenSeeds[name]
    if (token.tenant !== tenant) continue
    const days = problems && name === 'expired' ? -30 : 200
    add(clientIdOf(name, seed), token.client, problems ? token.role : 'Compliance Reader', days)
  }
  if (problems) for (const [name, role, days] of problemClients) add(guidFor(seed, clients.length), name, role, days)
  for (let n = 1; clients.length < count; n++) {
    const days = 60 + (mix(seed, n) % 240)
    add(guidFor(seed, clients.length), `${pick(integrationNames, mix(seed, n))} ${n}`, 'Compliance Reader', days)
  }
  return clients
}
