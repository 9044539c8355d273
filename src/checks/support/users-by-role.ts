import type { CheckContext, Evaluator, Failure, Outcome } from '../../evaluate/check.ts'
import { ok } from '../../evaluate/check.ts'
import { futureToleranceMs, isFresh } from '../../model/freshness.ts'
import type { MirrorRecord } from '../../store/records/query.ts'
import { textOf } from './records.ts'
import { assessRole, type RoleAssessment, type RoleReference, type RoleRule } from './role-assessment.ts'
import { rolesIn } from './roles.ts'
import { olderFrom } from './time-limits.ts'
import { quoted } from './words.ts'

export interface UserOfRole {
  readonly user: MirrorRecord
  readonly reference: RoleReference
  readonly roles: RoleAssessment['roles']
}

export interface UsersByRole extends RoleRule {
  /** How long a `roleId` is valid after it was read, in milliseconds. */
  readonly limitMs: number
  readonly failure: (found: UserOfRole) => Failure
}

const invited: Outcome = { kind: 'ok', outside: true, resolution: 'not_applicable' }

/**
 * Evaluates users who are not in state Invited by their role. A user may get another role of the same name, which only
 * appears in the user's details. So a `roleId` is valid for a limited time. After that the role name decides, which
 * every full sync reads, and users with an ambiguous role name are not evaluated; details are read of these users first.
 */
export function usersByRole(rule: UsersByRole, { now, incomplete, needed }: CheckContext): Evaluator {
  const { limitMs, failure } = rule
  const assess = assessRole(rolesIn(needed('roles')), incomplete.has('roles'), rule)
  return {
    record(user) {
      if (user.fields['state'] === 'Invited') return invited
      const byName = { roleId: null, roleName: textOf(user, 'roleName') }
      const byId = { ...byName, roleId: roleIdOf(user) }
      const readAt = user.times['detailReadAt'] ?? null
      const isKnown = byId.roleId !== null && isFresh(readAt, limitMs, now)
      const reference = isKnown ? byId : byName
      const { checkResult, roles } = assess(reference)
      const outcome: Outcome =
        checkResult === 'fails'
          ? { kind: 'fails', ...failure({ user, reference, roles }) }
          : checkResult === 'passes'
            ? ok
            : { kind: 'not_evaluated' }
      if (byId.roleId === null || readAt === null) return outcome
      // The age of the id only matters if the role name gives another result.
      if (assess(byId).checkResult === assess(byName).checkResult) return outcome
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
