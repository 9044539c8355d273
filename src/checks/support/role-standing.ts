import type { MirroredRole, Roles } from './roles.ts'

export interface RoleReference {
  /** Known only while the user's details were read not too long ago. */
  readonly roleId: number | null
  readonly roleName: string | null
}

export interface Standing {
  readonly checkResult: 'passes' | 'fails' | 'not_evaluated'
  /** The roles the user may have. */
  readonly roles: readonly MirroredRole[]
}

export interface RoleRule {
  readonly isFlawed: (role: MirroredRole) => boolean
  /** What a user is whose role does not exist. */
  readonly missing: Standing['checkResult']
}

/**
 * Tells whether a user's role is flawed: by id when it is known, else by name where all roles of that name agree; where
 * they differ, or no name is given, it cannot be told (docs/checks.md#user-role-active). Where the role of that id
 * bears another name than the user's, and roles of the user's name exist, one that is flawed among all of them is
 * enough.
 *
 * @param incomplete true when not all roles are known now: one that seems missing, or bears the same name, may exist.
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
    // Of an id and a name that contradict each other, neither excuses the other.
    if (contradicts && flawed > 0) return { checkResult: 'fails', roles: candidates }
    const isMix = flawed > 0 && flawed < candidates.length
    const mayBeAnother = incomplete && (roleId === null || contradicts || candidates.length === 0)
    if (isMix || mayBeAnother) return { checkResult: 'not_evaluated', roles: candidates }
    if (candidates.length === 0) return { checkResult: missing, roles: [] }
    return { checkResult: flawed > 0 ? 'fails' : 'passes', roles: candidates }
  }
}
