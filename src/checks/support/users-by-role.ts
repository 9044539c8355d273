import { type CheckContext, type Evaluator, type Failure, type Outcome, ok } from '../../evaluate/check.ts'
import { futureToleranceMs, isFresh } from '../../model/freshness.ts'
import { memoize } from '../../model/memoize.ts'
import type { MirrorRecord } from '../../store/records/query.ts'
import { quoted, textOf } from './records.ts'
import { type MirroredRole, type Roles, roleNamesOf, rolesIn } from './roles.ts'
import { olderFrom } from './time-limits.ts'

interface RoleReference {
  /** Null when the user's details were not read recently. */
  readonly roleId: number | null
  readonly roleName: string | null
}

interface RoleAssessment {
  readonly checkResult: 'passes' | 'fails' | 'not_evaluated'
  readonly roles: readonly MirroredRole[]
}

/**
 * Assesses a user's role: by id when it is known, else by name if all roles of that name agree. If they differ, or no name
 * is given, the user is not evaluated (docs/checks.md#user-role-active). If the role with that id has another name than the
 * user's role name, and roles with that name exist, one failing role among all of them is enough. Equal references have the
 * same assessment.
 *
 * @param incomplete true when the mirror may lack roles, so that a missing role, or another of the same name, may exist.
 */
function assessRole(
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
    const failing = candidates.filter((role) => isFailing(role) === true).length
    // If id and name contradict each other, one failing role is enough.
    if (contradicts && failing > 0) return { checkResult: 'fails', roles: candidates }
    const isMix = failing > 0 && failing < candidates.length
    const isDoubtful = candidates.some((role) => isFailing(role) === null)
    const mayBeAnother = incomplete && (roleId === null || contradicts || candidates.length === 0)
    if (isMix || isDoubtful || mayBeAnother) return { checkResult: 'not_evaluated', roles: candidates }
    if (candidates.length === 0) return { checkResult: missing, roles: [] }
    return { checkResult: failing > 0 ? 'fails' : 'passes', roles: candidates }
  }
  const assessments = memoize((roleName: string | null) =>
    memoize((roleId: number | null) => assess({ roleId, roleName })),
  )
  return ({ roleId, roleName }) => assessments(roleName)(roleId)
}

interface RoleRule {
  /** Null if nobody can say. */
  readonly isFailing: (role: MirroredRole) => boolean | null
  /** Check result of a user whose role does not exist. */
  readonly missing: RoleAssessment['checkResult']
  /** How long a `roleId` is valid after it was read, in milliseconds. */
  readonly limitMs: number
  readonly failure: (user: MirrorRecord, reference: RoleReference, roles: RoleAssessment['roles']) => Failure
}

const unknownRole: RoleAssessment = { checkResult: 'not_evaluated', roles: [] }

const invited: Outcome = { kind: 'ok', outside: true, resolution: 'not_applicable' }

/**
 * Evaluates users who are not in state Invited by their role. A user may get another role of the same name, which only
 * appears in the user's details. So a `roleId` is valid for a limited time. After that the role name decides, which
 * every full sync reads, and users with an ambiguous role name are not evaluated.
 */
export function usersByRole(rule: RoleRule, context: CheckContext): Evaluator {
  const { limitMs, failure } = rule
  const { now, incomplete, needed, readInFullAt } = context
  const mirrored = rolesIn(needed('roles'))
  const assess = assessRole(mirrored, incomplete.has('roles'), rule)
  const rolesAt = readInFullAt('roles')
  const { readsHistoryOf, meansAnother, isOutdated } = roleNamesOf(context, 'users')
  return {
    readsHistoryOf,
    record(user, history) {
      if (user.fields['state'] === 'Invited') return invited
      const byName = { roleId: null, roleName: textOf(user, 'roleName') }
      const byId = { ...byName, roleId: roleIdOf(user) }
      const readAt = user.times['detailReadAt'] ?? null
      const isKnown = byId.roleId !== null && isFresh(readAt, limitMs, now)
      const reference = isKnown ? byId : byName
      const role = mirrored.byId.get(Number(byId.roleId))
      // A role that was only renamed decides by its id.
      const idDecides = role !== undefined && (role.name === byId.roleName || !mirrored.byName.has(byId.roleName ?? ''))
      const mayHaveMoved = meansAnother(user, history)
      const resultByName = mayHaveMoved ? unknownRole : assess(byName)
      const isUnclear = (mayHaveMoved && !idDecides) || isOutdated(user, byId.roleId, readAt ?? 0)
      const resultById = isUnclear ? unknownRole : assess(byId)
      const { checkResult, roles } = isKnown ? resultById : resultByName
      // A user who was given a role since the roles were read may have one that is new.
      const knownSince = isKnown ? (user.times['roleIdSince'] ?? 0) : 0
      if (checkResult === 'fails' && roles.length === 0 && knownSince > rolesAt) return { kind: 'not_evaluated' }
      const outcome: Outcome =
        checkResult === 'fails'
          ? { kind: 'fails', ...failure(user, reference, roles) }
          : checkResult === 'passes'
            ? ok
            : { kind: 'not_evaluated' }
      if (byId.roleId === null || readAt === null) return outcome
      // The age of the id only matters if the role name gives another result.
      if (resultById.checkResult === resultByName.checkResult) return outcome
      if (isKnown) return { ...outcome, until: olderFrom(readAt, limitMs) }
      return readAt > now ? { ...outcome, until: readAt - futureToleranceMs } : outcome
    },
  }
}

/** The user's role in a message; by id and name when they refer to different roles. */
export function roleTitle({ roleId, roleName }: RoleReference, roles: RoleAssessment['roles']): string {
  if (roleId !== null && roles.length > 1) return `role ${roleId} by id and ${quoted(String(roleName))} by name`
  return roleId !== null ? `role ${roleId}` : `the role name ${quoted(String(roleName))}`
}

function roleIdOf({ fields: { roleId } }: MirrorRecord): number | null {
  return typeof roleId === 'number' ? roleId : null
}
