import type { MirroredRole, Roles } from './roles.ts'

export interface RoleReference {
  /** Known only once the user's details were read. */
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
 * @param unread true when some roles could not be read: what seems missing may exist.
 */
export function standingOf(roles: Roles, unread: boolean): (reference: RoleReference) => Standing {
  return ({ roleId, roleName }) => {
    if (roleId === null && roleName === null) return { verdict: 'not_judged', roles: [] }
    const known = roleId === null ? roles.byName.get(roleName ?? '') : roles.byId.get(roleId)
    const candidates = known === undefined ? [] : [known].flat()
    if (candidates.length === 0) return { verdict: unread ? 'not_judged' : 'fails', roles: [] }
    const active = candidates.filter((role) => role.isActive).length
    if (active > 0 && active < candidates.length) return { verdict: 'not_judged', roles: candidates }
    return { verdict: active === 0 ? 'fails' : 'passes', roles: candidates }
  }
}
