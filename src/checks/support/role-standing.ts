import type { MirroredRole, Roles } from './roles.ts'

export interface RoleReference {
  /** Known only while the user's details were read not too long ago. */
  readonly roleId: number | null
  readonly roleName: string | null
}

export interface Standing {
  readonly verdict: 'passes' | 'fails' | 'not_judged'
  /** The roles the user may have. */
  readonly roles: readonly MirroredRole[]
}

/**
 * Tells how a user's role stands: by id when it is known, else by name where all roles of that name agree; where they
 * differ, or no name is given, it cannot be told (contract: `user-role-active`).
 *
 * @param incomplete true when not all roles are known now: one that seems missing, or bears the same name, may exist.
 */
export function standingOf(roles: Roles, incomplete: boolean): (reference: RoleReference) => Standing {
  return ({ roleId, roleName }) => {
    if (roleId === null && roleName === null) return { verdict: 'not_judged', roles: [] }
    const known = roleId === null ? roles.byName.get(roleName ?? '') : roles.byId.get(roleId)
    const candidates = known === undefined ? [] : [known].flat()
    const active = candidates.filter((role) => role.isActive).length
    const isMix = active > 0 && active < candidates.length
    const mayBeAnother = incomplete && (roleId === null || candidates.length === 0)
    if (isMix || mayBeAnother) return { verdict: 'not_judged', roles: candidates }
    return { verdict: active === 0 ? 'fails' : 'passes', roles: candidates }
  }
}
