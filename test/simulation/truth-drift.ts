import { acceptedStates, acceptedStatesText } from '../support/events.ts'
import type { Sight } from './truth.ts'
import type { RoleTruth, World } from './world.ts'

/** Codes by role id, as one instant had them. */
export type RoleCodes = ReadonlyMap<string, readonly string[]>

const codesOf = ({ permissions }: RoleTruth): readonly string[] =>
  [...new Set(permissions.map(({ code }) => code))].sort()

const asText = (codes: RoleCodes): string => JSON.stringify([...codes].sort(([a], [b]) => (a < b ? -1 : 1)))

const roleCodes = (roles: readonly RoleTruth[]): RoleCodes =>
  new Map(roles.map((role) => [String(role.roleId), codesOf(role)]))

/** The first states of all roles that the mirror keeps; null while it keeps none. */
export function keptRoles(rows: readonly Record<string, unknown>[]): RoleCodes | null {
  if (rows.length === 0) return null
  return new Map([...acceptedStates(rows)].map(([id, state]) => [id, JSON.parse(state) as string[]]))
}

/** Query for `keptRoles`. */
export const keptRolesText = (tenantId: number | string) => acceptedStatesText(tenantId, 'role-permissions-unchanged')

/** True when all roles of the tenant were so at one instant: half a picture is none to measure drift from. */
export function wereOnce(world: World, kept: RoleCodes): boolean {
  return world.roles.all().some((roles) => asText(roleCodes(roles)) === asText(kept))
}

/** Roles whose codes are not the kept ones, whatever instant within sight was read. */
export function rolesMustDrift({ world, from, to, firstRoles }: Sight): readonly string[] {
  if (firstRoles === null) return []
  const seen = world.roles.within(from('roles'), to).map(roleCodes)
  const ids = new Set([...firstRoles.keys(), ...seen.flatMap((roles) => [...roles.keys()])])
  return [...ids].filter((id) =>
    seen.every((roles) => {
      const [before, present] = [firstRoles.get(id), roles.get(id)]
      // A role that came later and may do nothing is no drift.
      if (before === undefined) return present !== undefined && present.length > 0
      return JSON.stringify(before) !== JSON.stringify(present)
    }),
  )
}
