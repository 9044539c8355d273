import type { Permission, RoleTruth, TenantName } from '../truth.ts'
import { tokenNames, tokenSeed } from './tokens.ts'

export interface RoleSeed {
  readonly tenant: TenantName
  /** Smallest role id; ids of tenants do not overlap. */
  readonly firstId: number
  /** Minimum number; roles of tokens and problems always exist. */
  readonly count: number
  readonly permissions: readonly Permission[]
  readonly inactiveState: string
  readonly sameNamedRoles: boolean
  readonly problems: boolean
}

type RoleBlueprint = Pick<RoleTruth, 'name' | 'state' | 'type' | 'isReadOnly'> & { readonly codes: readonly string[] }

/** The initial roles of a tenant: roles of users and API clients, inactive ones, and two with one name. */
export function seedRoles(seed: RoleSeed): RoleTruth[] {
  const blueprints: RoleBlueprint[] = []
  const add = (name: string, codes: readonly string[], other: Partial<Omit<RoleBlueprint, 'name' | 'codes'>> = {}) => {
    blueprints.push({ name, codes, state: 'Active', type: 'User', isReadOnly: false, ...other })
  }
  const inactive = { state: seed.inactiveState }
  add('Member', ['Portal_Dashboard_Read', 'Portal_Documents_Upload'])
  add(
    'Administrator',
    seed.permissions.map(({ code }) => code),
    { isReadOnly: true },
  )
  add('Auditor', ['Portal_Dashboard_Read', 'Reports_Export_Create'], { isReadOnly: true })
  add('Viewer', ['Portal_Dashboard_Read'])
  if (seed.sameNamedRoles) add('Viewer', ['Portal_Dashboard_Read', 'Portal_Users_Invite'])
  if (seed.problems) {
    add('Former contractor', ['Portal_Dashboard_Read'], inactive)
    add('Legacy connector', ['Api_Documents_Read'], { ...inactive, type: 'ApiClient' })
  }
  const apiCodes = seed.permissions.map(({ code }) => code).filter((code) => code.startsWith('Api_'))
  const ofTokens = new Map(
    tokenNames()
      .map(tokenSeed)
      .filter(({ tenant }) => tenant === seed.tenant)
      .map(({ role, grants }) => [role, apiCodes.filter(grants)]),
  )
  for (const [role, codes] of ofTokens) add(role, codes, { type: 'ApiClient' })
  for (let n = 1; blueprints.length < seed.count; n++) add(`Team ${n}`, ['Portal_Dashboard_Read'])

  return blueprints.map(({ codes, ...blueprint }, index) => ({
    roleId: seed.firstId + index * 7,
    name: blueprint.name,
    description: `${blueprint.name} of the ${seed.tenant} tenant`,
    state: blueprint.state,
    type: blueprint.type,
    isReadOnly: blueprint.isReadOnly,
    permissions: seed.permissions.filter(({ code }) => codes.includes(code)),
    raw: {},
  }))
}
