import type { MirroredRole, Roles } from './roles.ts'

export interface RoleReference {
  /** Null when the user's details were not read recently. */
  readonly roleId: number | null
  readonly roleName: string | null
}

export interface Standing {
  readonly checkResult: 'passes' | 'fails' | 'not_evaluated'
  readonly roles: readonly MirroredRole[]
}

export interface RoleRule {
  readonly isFlawed: (role: MirroredRole) => boolean
  /** Check result of a user whose role does not exist. */
  readonly missing: Standing['checkResult']
}

/**
 * Tells whether a user's role is flawed: by id when it is known, else by name where all roles of that name agree; where
 * they differ, or no name is given, it cannot be told (contract: `user-role-active`). Where the role of that id bears
 * another name than the user's, and roles of the user's name exist, one that is flawed among all of them is enough.
 *
 * @param incomplete true when the mirror may lack roles, so that a missing role, or another of the same name, may exist.
 */
export function standingOf(
  roles: Roles,
  incomplete: boolean,
  { isFlawed, missing }: RoleRule,
): (reference: RoleReference) => Standing {
  return ({ roleId, roleName }) => {
    if (roleId === null && roleName === null) return { checkResult: 'not_evaluated', roles: [] }
    const named = roles.byName.get(roleName ?? '') ?? []
    const byId = roleId === null ? undefined : roles.byId.get(roleId)
    const contradicts = byId !== undefined && roleName !== null && byId.name !== roleName && named.length > 0
    const candidates = contradicts ? [byId, ...named] : roleId === null ? named : byId === undefined ? [] : [byId]
    const flawed = candidates.filter(isFlawed).length
    // If id and name contradict each other, one flawed role is enough.
    if (contradicts && flawed > 0) return { checkResult: 'fails', roles: candidates }
    const isMix = flawed > 0 && flawed < candidates.length
    const mayBeAnother = incomplete && (roleId === null || contradicts || candidates.length === 0)
    if (isMix || mayBeAnother) return { checkResult: 'not_evaluated', roles: candidates }
    if (candidates.length === 0) return { checkResult: missing, roles: [] }
    return { checkResult: flawed > 0 ? 'fails' : 'passes', roles: candidates }
  }
}
