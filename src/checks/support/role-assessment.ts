import { memoize } from '../../model/memoize.ts'
import type { MirroredRole, Roles } from './roles.ts'

export interface RoleReference {
  /** Null when the user's details were not read recently. */
  readonly roleId: number | null
  readonly roleName: string | null
}

export interface RoleAssessment {
  readonly checkResult: 'passes' | 'fails' | 'not_evaluated'
  readonly roles: readonly MirroredRole[]
}

export interface RoleRule {
  readonly isFailing: (role: MirroredRole) => boolean
  /** Check result of a user whose role does not exist. */
  readonly missing: RoleAssessment['checkResult']
}

/**
 * Assesses a user's role: by id when it is known, else by name if all roles of that name agree. If they differ, or no name
 * is given, the user is not evaluated (docs/checks.md#user-role-active). If the role with that id has another name than the
 * user's role name, and roles with that name exist, one failing role among all of them is enough. Equal references have the
 * same assessment.
 *
 * @param incomplete true when the mirror may lack roles, so that a missing role, or another of the same name, may exist.
 */
export function assessRole(
  roles: Roles,
  incomplete: boolean,
  { isFailing, missing }: RoleRule,
): (reference: RoleReference) => RoleAssessment {
  const assess = ({ roleId, roleName }: RoleReference): RoleAssessment => {
    if (roleId === null && roleName === null) return { checkResult: 'not_evaluated', roles: [] }
    const named = roles.byName.get(roleName ?? '') ?? []
    const byId = roleId === null ? undefined : roles.byId.get(roleId)
    const contradicts = byId !== undefined && roleName !== null && byId.name !== roleName && named.length > 0
    const candidates = contradicts ? [byId, ...named] : roleId === null ? named : byId === undefined ? [] : [byId]
    const failing = candidates.filter(isFailing).length
    // If id and name contradict each other, one failing role is enough.
    if (contradicts && failing > 0) return { checkResult: 'fails', roles: candidates }
    const isMix = failing > 0 && failing < candidates.length
    const mayBeAnother = incomplete && (roleId === null || contradicts || candidates.length === 0)
    if (isMix || mayBeAnother) return { checkResult: 'not_evaluated', roles: candidates }
    if (candidates.length === 0) return { checkResult: missing, roles: [] }
    return { checkResult: failing > 0 ? 'fails' : 'passes', roles: candidates }
  }
  const assessments = memoize((roleName: string | null) =>
    memoize((roleId: number | null) => assess({ roleId, roleName })),
  )
  return ({ roleId, roleName }) => assessments(roleName)(roleId)
}
